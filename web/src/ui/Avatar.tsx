import { useState } from 'react';
import { useDataSaver } from '@/lib/storage/dataSaver';
import { safePictureUrl } from '@/lib/tenant/tenant';
import css from './Avatar.module.css';

interface AvatarProps {
  name: string;
  /**
   * Address of the picture; the initials replace it where there is none, it cannot be loaded, or
   * the data saver leaves it out.
   */
  picture?: string;
  size?: number;
}

/** The first letters of the first and the last word; for a Chinese name its first character. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => (word ? [...word][0] : ''));
  return letters.join('').toLocaleUpperCase();
}

/** Always beside a name, so it is hidden from screen readers. */
export function Avatar({ name, picture, size = 28 }: AvatarProps) {
  const dataSaver = useDataSaver();
  const address = dataSaver ? undefined : safePictureUrl(picture);
  const [failed, setFailed] = useState<string | null>(null);
  const style = { width: size, height: size, fontSize: Math.round(size * 0.43) };
  if (address && failed !== address) {
    return <img src={address} alt="" style={style} className={css.picture} onError={() => setFailed(address)} />;
  }
  return (
    <span className={css.avatar} style={style} aria-hidden="true">
      {initials(name)}
    </span>
  );
}
