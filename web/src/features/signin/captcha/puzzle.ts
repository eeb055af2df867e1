import { type CaptchaData, checkCaptcha, getCaptcha } from '@/lib/http/captcha';
import { encryptPoint } from './encryptPoint';

/** The puzzle's dimensions in the unit of its coordinates, whatever the pixels of its pictures. */
export const basis = { width: 310, height: 155, piece: 47 };
/** The maximum position of the piece. */
export const maxTravel = basis.width - basis.piece;
/** A picture is replaced after this time; the server keeps its solution ten seconds longer. */
const pictureLifetimeMs = 120_000;

export interface Puzzle {
  /** Addresses for `<img>`. */
  background: string;
  piece: string;
  token: string;
  /** Empty: the solution is not encrypted. */
  secretKey: string;
  /** When the picture must be replaced, epoch milliseconds. */
  due: number;
}

/** The server's answer is not a puzzle. */
export class NoPuzzleError extends Error {}

export async function fetchPuzzle(signal: AbortSignal): Promise<Puzzle> {
  const { originalImageBase64, jigsawImageBase64, token, secretKey }: CaptchaData = await getCaptcha(signal);
  if (!originalImageBase64 || !jigsawImageBase64 || !token) throw new NoPuzzleError();
  return {
    background: picture(originalImageBase64),
    piece: picture(jigsawImageBase64),
    token,
    secretKey: secretKey ?? '',
    due: Date.now() + pictureLifetimeMs,
  };
}

function picture(base64: string): string {
  return `data:image/png;base64,${base64}`;
}

/**
 * Sends the piece's position `x` (in `basis` units) for checking; returns the captchaVerification
 * for sign-in.
 */
export async function checkPuzzle({ token, secretKey }: Puzzle, x: number, signal: AbortSignal): Promise<string> {
  const point = JSON.stringify({ x, y: 5 });
  await checkCaptcha({ token, pointJson: encryptPoint(point, secretKey) }, signal);
  return encryptPoint(`${token}---${point}`, secretKey);
}
