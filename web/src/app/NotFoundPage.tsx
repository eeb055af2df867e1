import { useTranslation } from 'react-i18next';
import { useDocumentTitle } from '@/lib/useDocumentTitle';
import { Empty } from '@/ui/Empty';
import { HomeLink } from '@/ui/HomeLink';
import { Bare } from './Bare';

export function NotFoundPage() {
  const { t } = useTranslation();
  useDocumentTitle(t('notFound.title'));
  return (
    <Bare>
      <Empty level={1} kind="search" title={t('notFound.title')} text={t('notFound.text')} action={<HomeLink />} />
    </Bare>
  );
}
