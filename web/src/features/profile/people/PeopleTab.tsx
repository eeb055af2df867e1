import UserAddOutlined from '@ant-design/icons/UserAddOutlined';
import { useQuery } from '@tanstack/react-query';
import { Button } from 'antd';
import { type ComponentRef, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '@/lib/format/format';
import { errorText, formErrorText } from '@/lib/http/errorText';
import { lastPage } from '@/lib/http/paging';
import { userQuery } from '@/lib/http/queries';
import { Empty } from '@/ui/Empty';
import { ErrorNote } from '@/ui/ErrorNote';
import { Note } from '@/ui/Note';
import { Pager } from '@/ui/Pager';
import { Loading, Skeleton } from '@/ui/Skeleton';
import tabHead from '../tabHead.module.css';
import { FactorPolicy } from './FactorPolicy';
import { FilterBar } from './FilterBar';
import { Invitations } from './Invitations';
import { InviteDialog } from './InviteDialog';
import { KeysDialog } from './KeysDialog';
import { type FreshLink, LinkDialog } from './LinkDialog';
import { PeopleList } from './PeopleList';
import css from './PeopleTab.module.css';
import { type PersonAction, PersonConfirmDialog } from './PersonConfirmDialog';
import { PersonDialog } from './PersonDialog';
import { type PeopleFilter, type Person, peoplePageQuery } from './queries';

/** The people of the tenant: invite, change, disable and delete them. */
export function PeopleTab() {
  const { t } = useTranslation();
  const format = useFormat();
  const [filter, setFilter] = useState<PeopleFilter>({});
  const [pageNo, setPageNo] = useState(1);
  const [pageSize, setPageSize] = useState(10);
  const [inviting, setInviting] = useState(false);
  const [fresh, setFresh] = useState<FreshLink | null>(null);
  const [edited, setEdited] = useState<Person | null>(null);
  const [keysOf, setKeysOf] = useState<Person | null>(null);
  const [pendingAction, setPendingAction] = useState<PersonAction | null>(null);
  const inviteButton = useRef<ComponentRef<typeof Button>>(null);
  const self = useQuery(userQuery()).data?.id;
  const page = useQuery(peoplePageQuery(filter, pageNo, pageSize));
  const { data } = page;

  // The last person of the last page is gone: show the page that is now the last.
  const last = data ? lastPage(data.total, pageSize) : pageNo;
  useEffect(() => {
    if (!page.isPlaceholderData && pageNo > last) setPageNo(last);
  }, [page.isPlaceholderData, pageNo, last]);

  const onFilter = useCallback((part: PeopleFilter) => {
    setFilter((before) => ({ ...before, ...part }));
    setPageNo(1);
  }, []);
  /** The button that opened a dialog may have disappeared with its row. */
  const restoreFocus = () => {
    if (document.activeElement === document.body) inviteButton.current?.focus();
  };

  const managed = formErrorText(page.error);
  if (managed !== undefined) {
    return (
      <div className={css.note}>
        <Note tone="info">{managed}</Note>
      </div>
    );
  }
  return (
    <>
      {data ? (
        <>
          <div className={tabHead.head}>
            <p className={tabHead.what}>{t('people.what')}</p>
            <Button
              type="primary"
              icon={<UserAddOutlined aria-hidden="true" />}
              onClick={() => setInviting(true)}
              ref={inviteButton}
            >
              {t('people.invite')}
            </Button>
          </div>
          <FilterBar filter={filter} onChange={onFilter} />
        </>
      ) : null}
      {page.isError ? (
        <div className={css.note}>
          <ErrorNote
            title={t('people.loadFail')}
            text={[errorText(page.error), data ? t('app.stale', { time: format.time(page.dataUpdatedAt) }) : '']
              .filter(Boolean)
              .join('. ')}
            onRetry={() => page.refetch()}
            busy={page.isFetching}
          />
        </div>
      ) : null}
      {page.isPending ? <Waiting /> : null}
      {data?.total === 0 ? (
        <Empty
          kind="search"
          title={t('people.noneTitle')}
          text={t('people.noneText')}
          action={
            <Button onClick={() => onFilter({ text: undefined, role: undefined, state: undefined })}>
              {t('people.clear')}
            </Button>
          }
          level={3}
        />
      ) : null}
      {data && data.total > 0 ? (
        <>
          <PeopleList people={data.list} self={self} onEdit={setEdited} onAsk={setPendingAction} onKeys={setKeysOf} />
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
      {data ? <Invitations onLink={setFresh} onClosed={restoreFocus} /> : null}
      {data ? <FactorPolicy policy={data.secondFactor} /> : null}
      <InviteDialog open={inviting} mail={data?.mail ?? true} onClose={() => setInviting(false)} onLink={setFresh} />
      <LinkDialog fresh={fresh} onClose={() => setFresh(null)} onClosed={restoreFocus} />
      <PersonDialog of={edited} self={self} onClose={() => setEdited(null)} onClosed={restoreFocus} />
      <KeysDialog of={keysOf} onClose={() => setKeysOf(null)} onClosed={restoreFocus} />
      <PersonConfirmDialog
        action={pendingAction}
        self={self}
        onClose={() => setPendingAction(null)}
        onClosed={restoreFocus}
      />
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
