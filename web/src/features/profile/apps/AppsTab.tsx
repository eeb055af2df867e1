import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { type ComponentRef, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { lastPage } from '@/lib/http/paging';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { Pager } from '@/ui/Pager';
import { Loading, Skeleton } from '@/ui/Skeleton';
import tabHead from '../tabHead.module.css';
import { AddDialog } from './AddDialog';
import css from './AppsTab.module.css';
import { type CredentialAction, CredentialConfirmDialog } from './CredentialConfirmDialog';
import { CredentialList } from './CredentialList';
import { credentialPageQuery } from './queries';
import { SecretDialog } from './SecretDialog';

/** The API keys of programs: create, open and close, delete. */
export function AppsTab() {
  const { t } = useTranslation();
  const format = useFormat();
  const [pageNo, setPageNo] = useState(1);
  const [pageSize, setPageSize] = useState(10);
  const [adding, setAdding] = useState(false);
  const [pendingAction, setPendingAction] = useState<CredentialAction | null>(null);
  const newButton = useRef<ComponentRef<typeof Button>>(null);
  const page = useQuery(credentialPageQuery(pageNo, pageSize));
  const { data } = page;

  // The last key of the last page was deleted: show the page that is now the last.
  const last = data ? lastPage(data.total, pageSize) : pageNo;
  useEffect(() => {
    if (!page.isPlaceholderData && pageNo > last) setPageNo(last);
  }, [page.isPlaceholderData, pageNo, last]);

  const add = (
    <Button type="primary" icon={<PlusOutlined aria-hidden="true" />} onClick={() => setAdding(true)} ref={newButton}>
      {t('app.new')}
    </Button>
  );
  const empty = data?.total === 0;
  // The button appears only once the list is known: otherwise it would move away from under the
  // finger.
  const headed = !page.isPending && !empty;

  return (
    <>
      {headed ? (
        <div className={tabHead.head}>
          <p className={tabHead.what}>
            {t('app.what')}{' '}
            <a className={tabHead.reference} href="/open-api/">
              {t('app.reference')}
            </a>
          </p>
          {add}
        </div>
      ) : null}
      {page.isError ? (
        <div className={css.error}>
          <ErrorNote
            title={t('app.loadFail')}
            text={[errorText(page.error), data ? t('app.stale', { time: format.time(page.dataUpdatedAt) }) : '']
              .filter(Boolean)
              .join('. ')}
            onRetry={() => page.refetch()}
            busy={page.isFetching}
          />
        </div>
      ) : null}
      {page.isPending ? <Waiting /> : null}
      {empty ? <Empty title={t('app.emptyTitle')} text={t('app.what')} action={add} level={3} /> : null}
      {data && !empty ? (
        <>
          <CredentialList credentials={data.list} onAsk={setPendingAction} />
          <Pager
            total={data.total}
            pageNo={Math.min(pageNo, last)}
            pageSize={pageSize}
            onChange={(no, size) => {
              setPageNo(size === pageSize ? no : 1);
              setPageSize(size);
            }}
          />
        </>
      ) : null}
      <AddDialog
        open={adding}
        onClose={() => setAdding(false)}
        onMade={() => {
          setAdding(false);
          // The newest key comes first.
          setPageNo(1);
        }}
      />
      <CredentialConfirmDialog
        action={pendingAction}
        onClose={() => setPendingAction(null)}
        onClosed={() => {
          // The button that opened the dialog may have disappeared with its row.
          if (document.activeElement === document.body) newButton.current?.focus();
        }}
      />
      <SecretDialog onClosed={() => newButton.current?.focus()} />
    </>
  );
}

function Waiting() {
  return (
    <Loading>
      <div className={css.waiting}>
        <Skeleton height={36} />
        {['first', 'second', 'third'].map((row) => (
          <Skeleton key={row} height={20} />
        ))}
      </div>
    </Loading>
  );
}
