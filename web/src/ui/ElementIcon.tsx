import { useState } from 'react';
import { useDataSaver } from '@/lib/storage/dataSaver';
import { safePictureUrl } from '@/lib/tenant/tenant';
import css from './ElementIcon.module.css';

interface ElementIconProps {
  /** The catalogue's address (`yeuUrl`); empty where it has none. */
  address: string | undefined;
}

/**
 * The icon of a property beside its name, hidden from screen readers; a neutral icon if there is
 * none, it does not load, or the data saver leaves it out.
 */
export function ElementIcon({ address }: ElementIconProps) {
  const dataSaver = useDataSaver();
  const picture = dataSaver ? undefined : safePictureUrl(address);
  const [failed, setFailed] = useState<string | null>(null);
  if (picture && failed !== picture) {
    return (
      <img
        src={picture}
        alt=""
        width={16}
        height={16}
        loading="lazy"
        decoding="async"
        referrerPolicy="no-referrer"
        className={css.icon}
        onError={() => setFailed(picture)}
      />
    );
  }
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" className={`${css.icon} ${css.mark}`}>
      <path d="M2.5 11.5a5.5 5.5 0 0 1 11 0M8 11.5l2.6-3.4" />
    </svg>
  );
}
