"""`./hexane bench`: random llama models, llama-bench on HTP0 against the CPU backend, and the table of the results."""
