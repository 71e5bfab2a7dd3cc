"""Which functions of OpenCV start its pool of threads: ``python benchmarks/opencv_threads.py [NAME...]``.

Each call runs in a process of its own, on images of 1,024 pixels square (``im``: colour, ``g``: grey,
``f``: floats) with ``setNumThreads(8)``; printed is how many threads the process has more afterwards. What
starts none is listed in dlint/knowledge/processes/opencv.py.
"""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import os, sys
import cv2
import numpy as np

cv2.setNumThreads(8)
im = np.random.RandomState(0).randint(0, 255, (1024, 1024, 3), dtype=np.uint8)
g, f = im[:, :, 0].copy(), im.astype(np.float32)
before = len(os.listdir("/proc/self/task"))
exec(sys.argv[1])
print(len(os.listdir("/proc/self/task")) - before)
"""
_SECONDS = 60
_CALLS = """
    cv2.BFMatcher()
    cv2.HoughLines(g,1,0.01,100)
    cv2.HoughLinesP(g,1,0.01,100)
    cv2.ORB_create()
    cv2.PSNR(im,im)
    cv2.SIFT_create()
    cv2.SIFT_create().detectAndCompute(g,None)
    cv2.Scharr(g,-1,1,0)
    cv2.StereoSGBM_create(0,16).compute(g,g)
    cv2.VideoCapture("nothing")
    cv2.adaptiveThreshold(g,255,0,0,11,2)
    cv2.applyColorMap(g,2)
    cv2.arrowedLine(im,(0,0),(10,10),(0,0,0))
    cv2.bitwise_and(im,im)
    cv2.bitwise_not(im)
    cv2.bitwise_or(im,im)
    cv2.blur(im,(5,5))
    cv2.boundingRect(np.array([[1,1],[10,10],[20,5]],np.int32))
    cv2.boxFilter(im,-1,(5,5))
    cv2.calcBackProject([im],[0],np.float32([1,2]),[0,256],1)
    cv2.calcOpticalFlowPyrLK(g,g,np.float32([[[10,10]]]),None)
    cv2.cartToPolar(f[:,:,0],f[:,:,1])
    cv2.circle(im,(50,50),20,(0,0,0))
    cv2.clipLine((0,0,10,10),(0,0),(20,20))
    cv2.compare(im,im,0)
    cv2.compareHist(np.float32([1,2]),np.float32([1,3]),0)
    cv2.connectedComponentsWithStats(g)
    cv2.contourArea(np.array([[1,1],[10,10],[20,5]],np.int32))
    cv2.convexHull(np.array([[1,1],[10,10],[20,5]],np.int32))
    cv2.copyTo(im,g)
    cv2.cornerHarris(g,2,3,0.04)
    cv2.countNonZero(g)
    cv2.createCLAHE()
    cv2.createCLAHE().apply(g)
    cv2.cvtColor(im,cv2.COLOR_BGR2GRAY)
    cv2.cvtColor(im,cv2.COLOR_BGR2HSV)
    cv2.cvtColor(im,cv2.COLOR_BGR2RGB)
    cv2.cvtColorTwoPlane(g,im[:512,:512,:2].copy(),cv2.COLOR_YUV2BGR_NV12)
    cv2.decolor(im)
    cv2.demosaicing(g,cv2.COLOR_BayerBG2BGR)
    cv2.detailEnhance(im)
    cv2.dilate(g,np.ones((3,3)))
    cv2.divide(im,im)
    cv2.dnn.blobFromImage(im)
    cv2.edgePreservingFilter(im)
    cv2.eigen(np.eye(3))
    cv2.ellipse(im,(50,50),(10,20),0,0,360,(0,0,0))
    cv2.estimateAffine2D(np.float32([[0,0],[1,0],[1,1],[0,1]]),np.float32([[0,0],[1,0],[1,1],[0,1]]))
    cv2.estimateAffinePartial2D(np.float32([[0,0],[1,0],[1,1],[0,1]]),np.float32([[0,0],[1,0],[1,1],[0,1]]))
    cv2.exp(f)
    cv2.extractChannel(im,0)
    cv2.filter2D(im,-1,np.ones((3,3))/9)
    cv2.findHomography(np.float32([[0,0],[1,0],[1,1],[0,1]]),np.float32([[0,0],[1,0],[1,1],[0,1]]))
    cv2.fitEllipse(np.float32([[0,0],[1,0],[1,1],[0,1],[2,3]]))
    cv2.floodFill(im,None,(0,0),(1,1,1))
    cv2.gemm(f[:,:,0],f[:,:,1],1,None,0)
    cv2.getGaborKernel((5,5),1,1,1,1)
    cv2.getGaussianKernel(5,1)
    cv2.getRectSubPix(im,(5,5),(10,10))
    cv2.getStructuringElement(0,(3,3))
    cv2.getTextSize("x",0,1,1)
    cv2.goodFeaturesToTrack(g,10,0.1,10)
    cv2.grabCut(im[:64,:64].copy(),np.zeros((64,64),np.uint8),(1,1,30,30),np.zeros((1,65)),np.zeros((1,65)),1)
    cv2.hconcat([im,im])
    cv2.idct(f[:,:,0])
    cv2.idft(f[:,:,0])
    cv2.imwrite("/tmp/x.png",im)
    cv2.initUndistortRectifyMap(np.eye(3),np.zeros(4),np.eye(3),np.eye(3),(1024,1024),5)
    cv2.inpaint(im,(g>250).astype('u1'),3,cv2.INPAINT_TELEA)
    cv2.insertChannel(g,im,0)
    cv2.intersectConvexConvex(np.float32([[0,0],[1,0],[1,1],[0,1]]),np.float32([[0,0],[1,0],[1,1],[0,1]]))
    cv2.invert(np.eye(3))
    cv2.invertAffineTransform(np.float32([[1,0,0],[0,1,0]]))
    cv2.kmeans(f.reshape(-1,3)[:10000],4,None,(cv2.TERM_CRITERIA_MAX_ITER,5,1),1,cv2.KMEANS_RANDOM_CENTERS)
    cv2.line(im,(0,0),(100,100),(0,0,0))
    cv2.log(f+1)
    cv2.magnitude(f[:,:,0].copy(),f[:,:,1].copy())
    cv2.max(im,im)
    cv2.mean(im)
    cv2.meanStdDev(im)
    cv2.medianBlur(im,5)
    cv2.min(im,im)
    cv2.minMaxLoc(g)
    cv2.mixChannels([im],[im.copy()],[0,1])
    cv2.moments(g)
    cv2.morphologyEx(g,0,np.ones((3,3)))
    cv2.norm(im)
    cv2.perspectiveTransform(np.float32([[[1,1]]]),np.eye(3))
    cv2.phase(f[:,:,0],f[:,:,1])
    cv2.polarToCart(f[:,:,0],f[:,:,1])
    cv2.pow(f,2)
    cv2.projectPoints(np.float32([[1,1,1]]),np.zeros(3),np.zeros(3),np.eye(3),np.zeros(4))
    cv2.putText(im,"x",(10,10),0,1,(0,0,0))
    cv2.pyrUp(im)
    cv2.randn(im,0,25)
    cv2.randu(im,0,255)
    cv2.reduce(g,0,cv2.REDUCE_SUM,dtype=cv2.CV_32S)
    cv2.remap(im,f[:,:,0],f[:,:,1],1)
    cv2.repeat(im,2,2)
    cv2.resize(im,(300,300))
    cv2.rotate(im,0)
    cv2.rotatedRectangleIntersection(((1,1),(5,5),30),((1,1),(5,5),10))
    cv2.solvePnP(np.float32([[0,0,0],[1,0,0],[1,1,0],[0,1,0]]),np.float32([[0,0],[1,0],[1,1],[0,1]]),np.eye(3),None)
    cv2.sort(g,0)
    cv2.spatialGradient(g)
    cv2.sqrBoxFilter(im,-1,(5,5))
    cv2.sqrt(f)
    cv2.stackBlur(im,(5,5))
    cv2.subtract(im,im)
    cv2.sumElems(im)
    cv2.transform(im,np.eye(3))
    cv2.undistortPoints(np.float32([[[1,1]]]),np.eye(3),np.zeros(4))
    cv2.vconcat([im,im])
    cv2.warpPolar(im,(256,256),(128,128),100,0)
    cv2.watershed(im,np.zeros((1024,1024),np.int32))
"""


def main() -> None:
    """Prints a line for each call."""
    for line in _CALLS.strip().splitlines():
        call = line.strip()
        name = call.partition("(")[0]
        if len(sys.argv) > 1 and name.removeprefix("cv2.") not in sys.argv[1:]:
            continue
        try:
            done = subprocess.run(
                [sys.executable, "-c", _PROGRAM, call], capture_output=True, text=True, timeout=_SECONDS
            )
        except subprocess.TimeoutExpired:
            print(f"{name}: more than {_SECONDS} s")
            continue
        print(f"{name}: {done.stdout.strip() or done.stderr.strip().splitlines()[-1]}")


if __name__ == "__main__":
    main()
