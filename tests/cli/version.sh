attnspec --version | sed 's/[0-9][0-9.]*/N/'
attnspec info --version | sed 's/[0-9][0-9.]*/N/'
