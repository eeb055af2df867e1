import { useTranslation } from 'react-i18next';
import { PageTitle } from '@/ui/PageTitle';

/** Replaces the alarm page in tests of the frame around a page: it has the title and makes no calls. */
export function AlarmPage() {
  const { t } = useTranslation();
  return <PageTitle title={t('nav.alarm')} />;
}
