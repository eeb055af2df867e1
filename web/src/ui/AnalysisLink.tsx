import FundOutlined from '@ant-design/icons/FundOutlined';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type AnalysisTarget, analysisAddress } from '@/lib/analysis/address';
import css from './AnalysisLink.module.css';

interface AnalysisLinkProps extends AnalysisTarget {
  /** What people call the device: the link is an icon only, and this is in its name. */
  iconOf?: string;
}

/** Leads to the analysis page, with devices, attributes and a range chosen. */
export function AnalysisLink({ iconOf, ...target }: AnalysisLinkProps) {
  const { t } = useTranslation();
  const search = analysisAddress(target);
  const icon = <FundOutlined aria-hidden="true" />;
  if (iconOf !== undefined) {
    const name = t('analysis.link.of', { name: iconOf });
    return (
      <Link to="/analysis" search={search} className={`${css.link} ${css.icon}`} aria-label={name} title={name}>
        {icon}
      </Link>
    );
  }
  return (
    <Link to="/analysis" search={search} className={css.link}>
      {icon}
      {t('analysis.link.open')}
    </Link>
  );
}
