# A reader that has seen enough is no failure.
command -v bash >/dev/null || exit 77
bash -c 'attnspec completion | true; echo "${PIPESTATUS[0]}"'
bash -c '(sleep 0.2; attnspec completion; echo $? >&2) | true'
