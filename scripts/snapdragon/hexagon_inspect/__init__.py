"""Static analysis of Hexagon ELF files: spills, soft-float calls, loops, annotated disassembly, crash addresses.

The way of one library: elf -> disassembly -> functions -> flow_graph + loops -> frame_values + stack_slots -> analysis,
and from there one of the reports (spill_report, promotion_report, listing, json_report). crash_addresses stands beside
it. """
