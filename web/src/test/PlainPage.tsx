import { useTranslation } from 'react-i18next';
import { PageTitle } from '@/ui/PageTitle';

/** Stands in for the alarm page where a test is about what is around a page: it has the title, and asks for nothing. */
export function AlarmPage() {
  const { t } = useTranslation();
  return <PageTitle title={t('nav.alarm')} />;
}
