import { ConfigProvider } from 'antd';
import arEG from 'antd/locale/ar_EG';
import { useTranslation } from 'react-i18next';
import { PageTitle } from '@/ui/PageTitle';
import { DemoBanner } from '../DemoBanner';
import { ArabicDashboard } from './ArabicDashboard';
import css from './RtlPage.module.css';

/** A demo page: a dashboard in Arabic, within a frame in the user's own language. */
export function RtlPage() {
  const { t } = useTranslation();
  return (
    <div className={css.page}>
      <PageTitle title={t('demo.rtl.title')} />
      <DemoBanner />
      <ConfigProvider direction="rtl" locale={arEG}>
        <div lang="ar" dir="rtl" className={css.arabic}>
          <ArabicDashboard />
        </div>
      </ConfigProvider>
    </div>
  );
}
