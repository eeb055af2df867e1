import ExperimentOutlined from '@ant-design/icons/ExperimentOutlined';
import { useTranslation } from 'react-i18next';
import css from './DemoBanner.module.css';

/** Says on each demo page that its content is made up. */
export function DemoBanner() {
  const { t } = useTranslation();
  return (
    <div className={css.banner} role="note">
      <ExperimentOutlined className={css.icon} aria-hidden="true" />
      <p className={css.words}>
        <strong className={css.title}>{t('demo.title')}</strong>
        <span className={css.text}>{t('demo.text')}</span>
      </p>
    </div>
  );
}
