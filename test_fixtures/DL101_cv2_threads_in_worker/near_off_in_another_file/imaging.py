"""Everything that touches OpenCV, set up once for the whole project."""
import cv2

cv2.setNumThreads(0)
cv2.ocl.setUseOpenCL(False)


def load(image):
    image = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
    return cv2.resize(image, (64, 64))
