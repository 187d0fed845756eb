"""Language detection thresholds, with the measurements they are based on.

A function word is a stop word of a language; shares are of a text's words or characters.
"""

# Sample lengths, in characters.

MIN_TEXT_CHARS = 100
"""Shorter texts are not classified: the result would be a guess."""

FIRST_LOOK_CHARS = 600
"""Sample checked first against the declared language, which is right for most pages."""

SAMPLE_CHARS = 1000
"""Sample to classify: of 600, 1000 and 1500 this was right for most pages in 26 languages."""

# Function words.

MIN_FUNCTION_WORD_SHARE = 0.16
"""Minimum share of function words in a text of that language: the best of .12, .16 and .2."""

MIN_FUNCTION_WORDS = 8
"""Minimum number of function words to classify a text by them alone."""

MIN_DECLARED_SHARE = 0.04
"""Minimum share that confirms a declared language if no other language has more."""

MIN_DECLARED_FUNCTION_WORDS = 3
"""Minimum number of function words that confirms a declared language."""

MIN_DISTINCT_FUNCTION_WORDS = 4
"""Distinct function words that confirm a guess; 3 took English for Spanish, 5 lost short texts."""

FEW_DISTINCT_FUNCTION_WORDS = 3
"""Distinct function words that suffice if there are many in total, or to contradict a declared
language; 2 occur in lists of names."""

CLEAR_LEAD_RATIO = 1.3
"""Lead over every other language that needs no further check: none of 2,900 paragraphs, pages and
middles of pages in 20 languages was wrong, in a fifth of the detector's time."""

MIN_LEAD_RATIO = 1.1
"""Lead over the guessed language that overrules the guess; 1 and 1.25 were worse."""

MIN_MIDDLE_RATIO = 2
"""A text's start overrules its middle if it has more than this many times the function words."""

# Scripts and letters.

MIN_LETTER_SHARE = 0.003
"""Minimum share of letters unique to one language: ў is 1 % of Belarusian."""

MIN_CJK_SHARE = 0.1
"""Share of Chinese, Japanese or Korean characters that decides despite Latin names."""

CLEAR_CJK_SHARE = 0.2
"""Share that decides despite whole sentences in Latin script: a character is half a word."""

MIN_ACCENTED_SHARE = 0.015
"""Minimum share of accented letters in a language with accents; names have fewer. With .01 and .02
one or two fewer texts were classified."""

MIN_LOWERCASE_SHARE = 0.5
"""Minimum share of lower-case words in prose; with .6 and .7 fewer program messages were found."""

MIN_RUSSIAN_LETTERS = 3
"""Count of ы and э that makes a text Russian if the detector finds one of its neighbors."""
