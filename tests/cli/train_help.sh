# Help is made from the option tables; nothing is wider than 80 columns.
for tool in train ablate; do
    attnspec $tool --help
    attnspec help $tool | awk 'length > 80'
done
