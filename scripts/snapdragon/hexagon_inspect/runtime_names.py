"""What the names of runtime functions say: half and double conversions, soft-float arithmetic, division, the math
library."""

import re

_PREFIX = r"__(?:hexagon_|qdsp_)?(?:fast2?_)?"

# The first pattern that matches decides.
_KINDS = (
    ("half", re.compile(r"__(?:extend[hb]f(?:sf|df|xf|tf)2|trunc(?:sf|df|xf|tf)[hb]f2|gnu_h2f_ieee|gnu_f2h_ieee)$")),
    ("double", re.compile(_PREFIX + r"(?:extendsf[dtx]f2|trunc[dtx]fsf2|(?:add|sub|mul|div|neg|fma|min|max)df[234]"
                          r"|sqrtdf2|sqrt|(?:eq|ne|lt|le|gt|ge|unord|cmp)df2|fix(?:uns)?df[sdt]i|float(?:un)?[sdt]idf)$")),
    ("division", re.compile(_PREFIX + r"(?:u?(?:div|mod)[sdt]i3|u?divmod[sdt]i4|divsf3|sqrtf)$")),
    ("soft-float", re.compile(_PREFIX + r"(?:(?:add|sub|mul|div|neg|fma|min|max)[stx]f[234]"
                              r"|(?:eq|ne|lt|le|gt|ge|unord|cmp)[stxh]f2|fix(?:uns)?[shtx]f[sdt]i"
                              r"|float(?:un)?[sdt]i[shtx]f|(?:extend|trunc)\w+f2|powi[sdtx]f2)$")),
    ("math", re.compile(r"(?:sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|expm1|exp10|log|log2|log10|log1p|pow"
                        r"|sqrt|cbrt|erf|erfc|fma|fmod|floor|ceil|round|roundeven|rint|nearbyint|trunc|hypot|ldexp"
                        r"|frexp|lgamma|tgamma)[fl]?$")),
)

# Functions that store or load the saved registers for a caller; they leave the arguments alone.
_FRAME_FUNCTION = re.compile(r"__(?:save|restore)_r16_through_r\d+")


def kind_of(name):
    """"half", "double", "division", "soft-float" or "math" for a runtime function, None for any other name."""
    return next((kind for kind, pattern in _KINDS if pattern.match(name)), None)


def keeps_arguments(name):
    return bool(_FRAME_FUNCTION.match(name))
