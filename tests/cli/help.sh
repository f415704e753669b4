# The list of tools, on standard output where it was asked for.
attnspec --help
attnspec help >again && attnspec --help | diff again -
