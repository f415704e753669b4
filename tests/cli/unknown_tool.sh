# The nearest match is suggested where one is near.
attnspec quite-another && echo "not refused"
attnspec analize
