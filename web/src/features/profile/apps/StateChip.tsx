import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import StopOutlined from '@ant-design/icons/StopOutlined';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { useClock } from '@/lib/format/clock';
import { isExpired } from './access';
import type { Credential } from './queries';
import css from './StateChip.module.css';

/**
 * Open or closed as an icon and a word, without a background, since every row has it. An open key
 * that has expired lets nobody in: its state is quiet.
 */
export function StateChip({ enabled, expiryTime }: Pick<Credential, 'enabled' | 'expiryTime'>) {
  const { t } = useTranslation();
  const expired = useClock(useCallback((now: number) => isExpired(expiryTime, now), [expiryTime]));
  const Icon = enabled === 1 ? CheckCircleFilled : StopOutlined;
  return (
    <span className={`${css.state} ${enabled === 1 && !expired ? css.open : css.closed}`}>
      <Icon aria-hidden="true" />
      {t(`credential.${enabled}`)}
    </span>
  );
}
