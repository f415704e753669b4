/* number: doubles as text, with all their digits or with few.
 * It refuses nothing; NaN and infinity are the caller's to keep away from number_exact(). */
#ifndef TOOLS_NUMBER_H
#define TOOLS_NUMBER_H

#define NUMBER_TEXT 32

/* The shortest decimal that reads back to the same double. Returns text[NUMBER_TEXT]. */
const char *number_exact(double value, char *text);

/* Five significant digits in at most `width` ≥ 7 columns: 12.346, 0.0012346, 1.23e+07. "-" for NaN.
 * Returns text[NUMBER_TEXT]. */
const char *number_short(double value, int width, char *text);

/* Four significant digits in five columns where it can be: 0.571, 12.35, 1234. Returns
 * text[NUMBER_TEXT]. */
const char *number_five(double value, char *text);

#endif
