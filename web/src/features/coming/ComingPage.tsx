import { useTranslation } from 'react-i18next';
import { Empty } from '@/ui/Empty';
import { HomeLink } from '@/ui/HomeLink';
import { PageTitle } from '@/ui/PageTitle';
import css from './ComingPage.module.css';

/** The pages that are still to come; what each will be is said in the texts. */
export type ComingName = 'channel' | 'message';

/** Says honestly that a page is not there yet, and what it will be. */
export function ComingPage({ name }: { name: ComingName }) {
  const { t } = useTranslation();
  return (
    <>
      <PageTitle title={t(`nav.${name}`)} />
      <div className={css.page}>
        <Empty title={t('coming.title')} text={t(`coming.what.${name}`)} action={<HomeLink />} />
      </div>
    </>
  );
}
