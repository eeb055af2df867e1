import { QRCode } from 'antd';
import { useTranslation } from 'react-i18next';
import type { components } from '@/api/schema.gen';
import { phoneQuery, useMediaQuery } from '@/lib/hooks/useMediaQuery';
import { CopyBox } from '../CopyBox';
import css from './KeyToScan.module.css';

/** The key of a second factor: as a picture for an app on a phone, and as text to type. */
export function KeyToScan({ secret, uri }: components['schemas']['Enrolment']) {
  const { t } = useTranslation();
  const isPhone = useMediaQuery(phoneQuery);
  return (
    <>
      <p className={css.what}>{t('factor.scan')}</p>
      {/* Black on white in both themes: apps do not read inverted pictures. */}
      <div className={css.picture}>
        <QRCode
          type="svg"
          aria-label={t('factor.picture')}
          value={uri}
          size={184}
          color="#000"
          bgColor="#fff"
          bordered={false}
          marginSize={0}
        />
      </div>
      {isPhone ? (
        <p className={css.open}>
          <a href={uri}>{t('factor.openApp')}</a>
        </p>
      ) : null}
      <CopyBox label={t('factor.key')} text={secret} copy={t('factor.copyKey')} />
    </>
  );
}
