// hvx/hvx.h -- the whole vector vocabulary.
#pragma once

#include "hvx/activation.h"
#include "hvx/chain.h"
#include "hvx/convert.h"
#include "hvx/divide.h"
#include "hvx/elementwise.h"
#include "hvx/float16.h"
#include "hvx/float32.h"
#include "hvx/integer.h"
#include "hvx/math.h"
#include "hvx/memory.h"
#include "hvx/permute.h"
#include "hvx/reduce.h"
#include "hvx/scalar_convert.h"
#include "hvx/trigonometry.h"
#include "hvx/types.h"
