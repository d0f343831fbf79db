# integers_for_floats.sed -- assembly of v73 for qemu-hexagon, which executes no HVX float: each float instruction becomes an integer one
# that reads and writes the same registers, so packets stay as they were and their results mean nothing.
s/(v[0-9]+)\.(qf32|sf) = v(add|sub|mpy)\((v[0-9]+)\.(qf32|sf),(v[0-9]+)\.(qf32|sf)\)/\1.w = vadd(\4.w,\6.w)/
s/(v[0-9]+:[0-9]+)\.qf32 = vmpy\((v[0-9]+)\.hf,(v[0-9]+)\.hf\)/\1.uw = vmpy(\2.uh,\3.uh)/
s/(v[0-9]+)\.sf = (v[0-9]+)\.(qf32|w)$/\1 = \2/
s/(v[0-9]+)\.hf = v([0-9]+):([0-9]+)\.qf32/\1.h = vpacke(v\2.w,v\3.w)/
s/(v[0-9]+)\.sf = (vmax|vmin)\((v[0-9]+)\.sf,(v[0-9]+)\.sf\)/\1.w = \2(\3.w,\4.w)/
s/vcmp\.gt\((v[0-9]+)\.sf,(v[0-9]+)\.sf\)/vcmp.gt(\1.w,\2.w)/
