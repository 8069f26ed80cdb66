import jsQR from "jsqr";

// The decoder is ten times as large as the page's own script, so it is a script of its own, which
// is loaded when somebody starts the camera. Browsers on iPhones have no BarcodeDetector.

type Image = { data: Uint8ClampedArray; width: number; height: number };

/**
 * Returns the text of the QR code in an image, dark on light or light on dark; null without a code.
 */
export const findCode = ({ data, width, height }: Image): string | null =>
  jsQR.default(data, width, height, { inversionAttempts: "attemptBoth" })?.data ?? null;
