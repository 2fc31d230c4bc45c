# lower: absolute_of_numpy x:*fp32 o:*fp32 n:i32 B=16
# lower: cosine_of_numpy x:*fp32 o:*fp32 n:i32 B=16
# lower: rounded_by_numpy x:*fp32 o:*fp32 n:i32 B=16
# lower: blur_of_opencv x:*fp32 o:*fp32 n:i32 B=16
# lower: grey_of_opencv x:*fp32 o:*fp32 n:i32 B=16
# lower: unknown_to_opencv x:*fp32 o:*fp32 n:i32 B=16
# lower: picture_of_pillow x:*fp32 o:*fp32 n:i32 B=16
# lower: dtype_of_a_pointer x:*fp32 o:*fp32 n:i32 B=16
# lower: counted_down x:*fp32 o:*fp32 n:i32 B=16
# lower: border_of_opencv x:*fp32 o:*fp32 n:i32 B=16
# lower: mode_of_numpy x:*fp32 o:*fp32 n:i32 B=16
# what people write who come from OpenCV, and more of NumPy's
import cv2
import numpy
import PIL
import triton
import triton.language as tl


@triton.jit
def absolute_of_numpy(x, o, n, B: tl.constexpr):
    v = numpy.absolute(tl.load(x))


@triton.jit
def cosine_of_numpy(x, o, n, B: tl.constexpr):
    v = numpy.arccos(tl.load(x))


@triton.jit
def rounded_by_numpy(x, o, n, B: tl.constexpr):
    v = numpy.around(tl.load(x))


@triton.jit
def blur_of_opencv(x, o, n, B: tl.constexpr):
    v = cv2.GaussianBlur(tl.load(x + tl.arange(0, B)), (3, 3), 0)


@triton.jit
def grey_of_opencv(x, o, n, B: tl.constexpr):
    v = cv2.cvtColor(tl.load(x + tl.arange(0, B)))


@triton.jit
def unknown_to_opencv(x, o, n, B: tl.constexpr):
    v = cv2.medianBlur(tl.load(x + tl.arange(0, B)), 3)


@triton.jit
def picture_of_pillow(x, o, n, B: tl.constexpr):
    v = PIL.Image(tl.load(x))


@triton.jit
def dtype_of_a_pointer(x, o, n, B: tl.constexpr):
    v = tl.load(x).to(o.dtype)


@triton.jit
def counted_down(x, o, n, B: tl.constexpr):
    i = tl.arange(B, 0)


@triton.jit
def border_of_opencv(x, o, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B) - 1, border="reflect")


@triton.jit
def mode_of_numpy(x, o, n, B: tl.constexpr):
    v = tl.load(x + tl.arange(0, B) - 1, mode="wrap")
