"""Exercise 6: the sum of the elements of each group: sums[g] adds up all values[i] with group[i] == g.

As it stands a later store replaces an earlier one.  `tilec test exercises/06_races.py` says when it is right.
"""

import triton
import triton.language as tl


# tilec: call four --grid cdiv(n,BLOCK) --device interp --check --compare sums=n//4
#     n=1000 group=arange(i32,n)%4 values=ones(fp32,n) sums=zeros(fp32,4) BLOCK=64
# tilec: call one --call four group=zeros(i32,n) values=arange(fp32,n)%3 --compare sums=(arange(i32,4)==0)*values.sum()
@triton.jit
def sum_groups(group, values, sums, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    g = tl.load(group + i, mask=inside, other=0)
    v = tl.load(values + i, mask=inside, other=0.0)
    tl.store(sums + g, v, mask=inside)
