// plan/row_plan.h -- planning shared by the row-wise ops: which tensors they take, and how their loop nests are cut.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "abi/row_blocks.h"
#include "plan/nest.h"
#include "plan/plan.h"

namespace hexane::plan {

// Why these operands are nothing for a row-wise op: unaddressable, in tiles, together larger than the window, or a
// destination that overlaps itself, whose bytes would depend on which thread comes last. Nothing if they are fine.
std::optional<reject> check_operands(std::initializer_list<const tensor_shape *> sources, const tensor_shape &dst,
                                     const hardware &hw);

// Whether `t` is one of the float types that the elementwise ops compute with.
bool is_float(const tensor_shape &t);

// ggml_can_repeat: whether `small` repeats to the shape of `large`.
bool repeats_to(const tensor_shape &small, const tensor_shape &large);

// Threads that `bytes` of traffic keep busy: below a certain size waking a thread costs more than it saves.
uint32_t threads_for(uint64_t bytes, const hardware &hw);

// How the rows of an op are cut.
struct row_cut {
    rows::blocks blocks;
    rows::loops loops;
};

// Cuts the nest of `operands` (destination first, then what the kernel streams) so that every worker's buffers fit its part
// of VTCM: into blocks of whole rows, or pieces of rows where a row does not fit or where there are fewer rows than threads
// (only if `kind` leaves rows free). The plan has the VTCM of all workers.
plan_or<row_cut> plan_rows(std::initializer_list<const tensor_shape *> operands, row_kind kind, const hardware &hw);

std::string to_string(const rows::blocks &b);

// Elements per unit of the ops that move packed runs of elements (COPY, SET_ROWS): a multiple of rows::col_granule such
// that `depth` units of `bytes_per_element` (source and destination together) fit each worker's part of VTCM; n_threads
// is lowered if need be. Nothing if not even one worker fits.
struct runs {
    uint32_t n_threads, elements_per_unit, depth;
};
std::optional<runs> cut_runs(uint64_t elements, uint32_t bytes_per_element, const hardware &hw);

}  // namespace hexane::plan
