import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '@/lib/hooks/useDocumentTitle';
import { Empty } from '@/ui/Empty';
import { HomeLink } from '@/ui/HomeLink';
import { BareLayout } from './BareLayout';

export function NotFoundPage() {
  const { t } = useTranslation();
  useDocumentTitle(t('notFound.title'));
  return (
    <BareLayout>
      <Empty level={1} kind="search" title={t('notFound.title')} text={t('notFound.text')} action={<HomeLink />} />
    </BareLayout>
  );
}
