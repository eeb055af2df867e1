import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { analysisAddress } from '@/lib/analysis/address';
import css from './SwitchLink.module.css';

interface SwitchLinkProps {
  deviceName: string;
  /** The switch's identifier. */
  sign: string;
  /** The switch's name in the page's language. */
  name: string;
  /** The name as it is shown. */
  children: ReactNode;
}

/** A switch's name: whether it is on says little, so that it leads to when it was. */
export function SwitchLink({ deviceName, sign, name, children }: SwitchLinkProps) {
  const { t } = useTranslation();
  return (
    <Link
      to="/analysis"
      search={analysisAddress({ devices: [deviceName], signs: [sign] })}
      className={css.link}
      aria-label={t('analysis.link.onTimes', { name })}
    >
      {children}
    </Link>
  );
}
