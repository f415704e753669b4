# Without a word the usage goes to standard error, and that is a usage error.
attnspec
