import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useBranding } from '@/lib/tenant/tenant';
import { BrandLogo } from '@/ui/BrandLogo';
import css from './BrandPanel.module.css';
import { contours } from './contours';

/** Contour lines below one sentence; a tenant's title, content and picture replace them. */
export function BrandPanel() {
  const { t } = useTranslation();
  const { title, content, background } = useBranding();
  const [failed, setFailed] = useState<string | null>(null);
  const picture = background && failed !== background ? background : undefined;
  const own = title ?? content;

  return (
    <section className={css.panel} aria-label={title ?? 'Tilth'}>
      {picture ? (
        <img
          src={picture}
          alt=""
          className={css.picture}
          referrerPolicy="no-referrer"
          onError={() => setFailed(picture)}
        />
      ) : (
        <svg viewBox="0 0 720 900" preserveAspectRatio="xMidYMid slice" className={css.lines} aria-hidden="true">
          {contours.map((path) => (
            <path key={path} d={path} />
          ))}
        </svg>
      )}
      {own || picture ? null : (
        <div aria-hidden="true">
          <span className={css.pin} style={{ left: '54%', top: '34%' }}>
            <b>{t('signin.pinAir')}</b> {t('signin.pinAirWhat')}
          </span>
          <span className={css.pin} style={{ left: '20%', top: '50%' }}>
            <b>{t('signin.pinSoil')}</b> {t('signin.pinSoilWhat')}
          </span>
        </div>
      )}
      <div className={css.words}>
        <BrandLogo height={30} className={css.logo} />
        <div>
          <p className={css.title}>{own ? title : t('signin.brandTitle')}</p>
          <p className={css.text}>{own ? content : t('signin.brandText')}</p>
        </div>
      </div>
    </section>
  );
}
