"""Does a page written by a model behave and look like the site it was shown?"""
