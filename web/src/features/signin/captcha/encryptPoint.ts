import { ecb } from '@noble/ciphers/aes.js';

/**
 * AES-128-ECB with PKCS7 in base64, as the captcha's protocol asks for; plain where no key was given. Not the browser's own
 * WebCrypto: that knows no ECB, and is not there on the plain http of a farm's own network.
 */
export function encryptPoint(text: string, secretKey: string): string {
  if (secretKey === '') return text;
  const bytes = new TextEncoder();
  return btoa(String.fromCharCode(...ecb(bytes.encode(secretKey)).encrypt(bytes.encode(text))));
}
