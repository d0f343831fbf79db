/* tests/host/static_link.c -- the public header from C, with the static library: every function it declares. */
#include <stdio.h>

#include "ggml-hexagon.h"

int main(void) {
    ggml_backend_reg_t reg = ggml_backend_hexagon_reg();
    if (reg != ggml_backend_hexagon_reg() || ggml_backend_is_hexagon(NULL)) return 1;
    size_t n = ggml_backend_reg_dev_count(reg);
    printf("%s: %zu devices\n", ggml_backend_reg_name(reg), n);
    if (ggml_backend_hexagon_init(n) != NULL) return 2;
    for (size_t i = 0; i < n; ++i) {
        ggml_backend_t backend = ggml_backend_hexagon_init(i);
        if (!backend || !ggml_backend_is_hexagon(backend)) return 3;
        ggml_backend_free(backend);
    }
    return 0;
}
