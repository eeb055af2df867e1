import SafetyCertificateOutlined from '@ant-design/icons/SafetyCertificateOutlined';
import { useTranslation } from 'react-i18next';
import css from './FactorMark.module.css';

/** Whether a second factor is on, as an icon and a word. */
export function FactorMark({ on }: { on: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={on ? css.on : css.off}>
      {on ? <SafetyCertificateOutlined aria-hidden="true" /> : null}
      {t(on ? 'factor.on' : 'factor.off')}
    </span>
  );
}
