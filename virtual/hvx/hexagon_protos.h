// virtual/hvx/hexagon_protos.h -- the HVX intrinsics that hvx/ uses, bit for bit as a V67 executes them, as PC code.
// Stands in for the device compiler's header of this name; only hvx/ includes it.
#pragma once

#include "virtual/hvx/arithmetic.h"
#include "virtual/hvx/dot.h"
#include "virtual/hvx/hexagon_types.h"
#include "virtual/hvx/memory.h"
#include "virtual/hvx/permute.h"
#include "virtual/hvx/predicate.h"
