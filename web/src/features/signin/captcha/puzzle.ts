import { type CaptchaData, checkCaptcha, getCaptcha } from '@/lib/http/captcha';
import { encryptPoint } from './encryptPoint';

/** The puzzle's measures in the basis that its coordinates are told in, whatever the pixels of its pictures. */
export const basis = { width: 310, height: 155, piece: 47 };
/** As far as the piece can go. */
export const maxTravel = basis.width - basis.piece;
/** A picture is replaced after this long; the server keeps its answer ten seconds longer. */
const pictureLifetimeMs = 120_000;

export interface Puzzle {
  /** Addresses for `<img>`. */
  background: string;
  piece: string;
  token: string;
  /** Empty: what is sent is not encrypted. */
  secretKey: string;
  /** When another picture is due, epoch milliseconds. */
  due: number;
}

/** The server sent something that is no puzzle. */
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

/** Has the piece at `x` (in the basis) checked; answers the captchaVerification that sign-in is sent with. */
export async function checkPuzzle({ token, secretKey }: Puzzle, x: number, signal: AbortSignal): Promise<string> {
  const point = JSON.stringify({ x, y: 5 });
  await checkCaptcha({ token, pointJson: encryptPoint(point, secretKey) }, signal);
  return encryptPoint(`${token}---${point}`, secretKey);
}
