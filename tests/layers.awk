# The rules that tests/layers.sh applies, line by line, to code without its comments.
BEGIN {
    for (count = split(standard, word); count > 0; count--) is_standard[word[count] ".h"] = 1
    for (count = split(upstream, line, "\n"); count > 0; count--) {
        split(line[count], part, ":")
        allowed[part[1]] = " " part[1] " " part[2] " "
    }
}
FNR == 1 {
    room = FILENAME
    sub(/^(\.\/)?(lib\/|include\/attnspec\/)?/, "", room)
    sub(/[\/.].*/, "", room)
    comment = 0
}
{
    code = uncommented($0)
}
code ~ /^[ \t]*#[ \t]*include/ {
    header = code
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
    gsub(/["<>]|[ \t]+$/, "", header)
    if (code ~ /</) foreign(header); else inward(header)
}
code ~ /(^|[^A-Za-z0-9_])(openblas_[a-z_]+|pthread_create|thrd_create)[ \t]*\(/ &&
    FILENAME !~ /^(lib\/base\/threads\.c|tests\/)/ {
    breach("threads are made, and BLAS is told how many to use, only in lib/base/threads.c")
}
code ~ /(^|[^A-Za-z0-9_])(v?fork|posix_spawnp?|_exit)[ \t]*\(/ && FILENAME !~ /^(lib\/base\/trial\.c|tests\/)/ {
    breach("processes are made, and left, only in lib/base/trial.c")
}
code ~ /(^|[^A-Za-z0-9_])(v?f?printf|puts|putchar|perror|exit|abort|isatty|main)[ \t]*\(|std(out|err)/ &&
    FILENAME !~ /^(tools|tests)\// {
    breach("only tools/ may print, exit or have a command line")
}
END { exit failed }

function foreign(header) {
    if (header in is_standard || room == "door" || (room == "tests" && header == "check.h")) return
    if (FILENAME ~ /^tests\/bench\//) return
    breach("<" header "> is a foreign header: it belongs to a file of lib/door/")
}
function inward(header,    other) {
    if (room == "tests" || header == "attnspec/attnspec.h" && room == "tools" || room == "attnspec") return
    other = header
    if (FILENAME !~ /^include\// && exists(folder() header)) other = room
    sub(/^attnspec\//, "", other)
    sub(/[\/.].*/, "", other)
    if (other == "train_config") other = "train"
    if (other == "metrics" || other == "contraction" || other == "roles") other = "metric"
    if (room == "tools" && header == "door/json.h") return
    if (!index(allowed[room], " " other " "))
        breach("\"" header "\" is not upstream of " room)
    else if (other != room && header ~ /\// && header !~ /^(attnspec|base|door)\//)
        breach("\"" header "\" is private to " other ": other rooms see attnspec/" other ".h")
}
function folder(    path) {
    path = FILENAME
    sub(/[^\/]*$/, "", path)
    return path
}
function exists(path,    line, found) {
    found = (getline line < path) >= 0
    close(path)
    return found
}
function breach(sentence) {
    printf "%s:%d: %s\n", FILENAME, FNR, sentence
    failed = 1
}
# The line without comments; `comment` says whether it began inside one.
function uncommented(line,    out, at) {
    out = ""
    while (line != "") {
        at = index(line, comment ? "*/" : "/*")
        if (!at) return comment ? out : out line
        if (!comment) out = out substr(line, 1, at - 1)
        line = substr(line, at + 2)
        comment = !comment
    }
    return out
}
