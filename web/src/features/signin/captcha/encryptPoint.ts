import { ecb } from '@noble/ciphers/aes.js';

/**
 * AES-128-ECB with PKCS7 in base64, as the captcha's protocol requires; plain text without a key.
 * It does not use the browser's WebCrypto, which does not support ECB and is missing on plain http,
 * as in a tenant's own network.
 */
export function encryptPoint(text: string, secretKey: string): string {
  if (secretKey === '') return text;
  const bytes = new TextEncoder();
  return btoa(String.fromCharCode(...ecb(bytes.encode(secretKey)).encrypt(bytes.encode(text))));
}
