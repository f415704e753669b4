# Names, keys and values that are none say what is valid and what is near.
for scheme in rop rope:bse=3 rope:base=-3 alibi:form=colum nope:base=3; do
    attnspec schemes $scheme
    echo $?
done
