import HomeOutlined from '@ant-design/icons/HomeOutlined';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import css from './HomeLink.module.css';

/** The link home from a page that offers nothing else. */
export function HomeLink() {
  const { t } = useTranslation();
  return (
    <Link to="/dashboard-default" className={css.link}>
      <HomeOutlined aria-hidden="true" />
      {t('common.home')}
    </Link>
  );
}
