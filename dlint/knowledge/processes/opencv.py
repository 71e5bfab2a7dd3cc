"""Which functions of OpenCV start its pool of threads.

Measured: threads of a fresh process before and after one call, ``setNumThreads(8)``, images of 256 and 1,024
pixels square, wheels 4.10 and 5.0; `benchmarks/opencv_threads.py` does it again.
"""

from __future__ import annotations

# No thread is started by these: workers that call nothing else have nothing that could hang. Objects are made
# without threads, too, but their methods may start some, so that they are not listed here.
_NO_THREADS = """
    imread imdecode imencode imwrite imcount imreadmulti haveImageReader VideoCapture VideoWriter
    flip rotate transpose copyMakeBorder split merge hconcat vconcat repeat copyTo mixChannels extractChannel
    insertChannel borderInterpolate
    blur boxFilter sqrBoxFilter medianBlur adaptiveThreshold pyrUp spatialGradient
    inRange add addWeighted subtract multiply divide absdiff scaleAdd bitwise_and bitwise_or bitwise_xor
    bitwise_not min max compare pow sqrt exp log phase magnitude cartToPolar polarToCart normalize
    convertScaleAbs transform perspectiveTransform
    dct dft idct idft gemm invert eigen sort norm PSNR mean meanStdDev minMaxLoc countNonZero sumElems
    integral matchTemplate moments compareHist calcBackProject randu randn watershed floodFill grabCut
    HoughLines HoughLinesP edgePreservingFilter
    fillPoly fillConvexPoly polylines drawContours drawMarker rectangle line circle ellipse arrowedLine
    putText getTextSize clipLine
    contourArea arcLength boundingRect convexHull approxPolyDP boxPoints minAreaRect fitEllipse
    minEnclosingCircle pointPolygonTest intersectConvexConvex rotatedRectangleIntersection
    getAffineTransform getPerspectiveTransform getRotationMatrix2D invertAffineTransform getRectSubPix
    estimateAffine2D estimateAffinePartial2D findHomography solvePnP projectPoints undistortPoints Rodrigues
    getStructuringElement getGaussianKernel getGaborKernel
    dnn.blobFromImage
"""
NO_THREADS = frozenset(f"cv2.{name}" for name in _NO_THREADS.split())
