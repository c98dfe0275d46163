/** The CurveZMQ keys of a connection file (JEP 145): the five sockets encrypt, and refuse clients without the public key. */

import { createPrivateKey, createPublicKey } from 'node:crypto';

/** Both keys as Z85 text, as ZeroMQ takes them. */
export interface CurveKeys {
  readonly publicKey: string;
  readonly secretKey: string;
}

const NAMES = ['curve_publickey', 'curve_secretkey'] as const;
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';
const KEY_LENGTH = 40;
/** Digits of four bytes. */
const GROUP = 5;
/** Precedes the 32 bytes of an X25519 key in the PKCS #8 format (RFC 8410). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** Returns the keys of a connection file; undefined if it has none. `fail` gets the fault of damaged ones, without the keys. */
export function readCurveKeys(
  fields: Readonly<Record<string, unknown>>,
  fail: (fault: string) => never
): CurveKeys | undefined {
  const present = NAMES.filter(name => fields[name] !== undefined);
  if (present.length === 0) return undefined;
  const missing = NAMES.find(name => !present.includes(name));
  if (missing !== undefined) fail(`has "${present[0]}" without "${missing}", expected both or neither`);
  const key = (name: string): readonly [string, Buffer] => {
    const text = fields[name];
    const bytes = typeof text === 'string' ? decode(text) : undefined;
    return bytes === undefined
      ? fail(`has a damaged "${name}", expected ${KEY_LENGTH} characters of Z85`)
      : [text as string, bytes];
  };
  const [publicKey, publicBytes] = key('curve_publickey');
  const [secretKey, secretBytes] = key('curve_secretkey');
  // With other keys ZeroMQ would drop every client silently.
  if (!publicBytes.equals(publicOf(secretBytes)))
    fail('has a "curve_publickey" that does not belong to its "curve_secretkey", expected a key pair');
  return { publicKey, secretKey };
}

/** Returns the bytes of a key; undefined if the text is not the Z85 form of 32 bytes. */
function decode(text: string): Buffer | undefined {
  if (text.length !== KEY_LENGTH) return undefined;
  const bytes = Buffer.alloc((KEY_LENGTH / GROUP) * 4);
  for (let start = 0; start < KEY_LENGTH; start += GROUP) {
    const digits = [...text.slice(start, start + GROUP)].map(digit => DIGITS.indexOf(digit));
    const value = digits.reduce((sum, digit) => sum * DIGITS.length + digit, 0);
    if (digits.includes(-1) || value >= 2 ** 32) return undefined;
    bytes.writeUInt32BE(value, (start / GROUP) * 4);
  }
  return bytes;
}

/** Returns the public key of a secret key. */
function publicOf(secretKey: Buffer): Buffer {
  const der = Buffer.concat([PKCS8_HEADER, secretKey]);
  const secret = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return Buffer.from(createPublicKey(secret).export({ format: 'jwk' }).x!, 'base64url');
}
