import CheckCircleFilled from '@ant-design/icons/CheckCircleFilled';
import StopOutlined from '@ant-design/icons/StopOutlined';
import { useTranslation } from 'react-i18next';
import type { Credential } from './queries';
import css from './StateChip.module.css';

/** Open or closed as an icon and a word, without a background, since every row has it. */
export function StateChip({ enabled }: Pick<Credential, 'enabled'>) {
  const { t } = useTranslation();
  const Icon = enabled === 1 ? CheckCircleFilled : StopOutlined;
  return (
    <span className={`${css.state} ${enabled === 1 ? css.open : css.closed}`}>
      <Icon aria-hidden="true" />
      {t(`credential.${enabled}`)}
    </span>
  );
}
