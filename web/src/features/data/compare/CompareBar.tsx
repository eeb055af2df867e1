import FundOutlined from '@ant-design/icons/FundOutlined';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { analysisAddress } from '@/lib/analysis/address';
import { nameOf } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { PlainButton } from '@/ui/PlainButton';
import css from './Compare.module.css';
import { type Compared, signsOf } from './compared';

interface CompareBarProps {
  devices: readonly Compared[];
  onClear: () => void;
}

/** What is chosen for a comparison, and the way to it; nothing without a choice. */
export function CompareBar({ devices, onClear }: CompareBarProps) {
  const { t } = useTranslation();
  const format = useFormat();
  if (devices.length === 0) return null;
  const search = analysisAddress({
    devices: devices.map(({ deviceName }) => deviceName),
    signs: signsOf(devices),
  });
  return (
    <section className={css.bar} aria-label={t('data.compare.bar')}>
      <p className={css.names} role="status">
        {format.list(devices.map(nameOf))}
        {devices.length === 1 ? <span className={css.hint}> {t('data.compare.another')}</span> : null}
      </p>
      <span className={css.actions}>
        <PlainButton onClick={onClear}>{t('data.compare.clear')}</PlainButton>
        {devices.length < 2 ? null : (
          <Link to="/analysis" search={search} className={css.go}>
            <FundOutlined aria-hidden="true" />
            {t('data.compare.go', { count: devices.length })}
          </Link>
        )}
      </span>
    </section>
  );
}
