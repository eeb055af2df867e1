import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { errorText } from '@/lib/http/errorText';
import { lastPage } from '@/lib/http/paging';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import { ErrorNote } from '@/ui/ErrorNote';
import { Pager } from '@/ui/Pager';
import { InvitationRow } from './InvitationRow';
import css from './Invitations.module.css';
import type { FreshLink } from './LinkDialog';
import { inviteeOf } from './names';
import { deleteInvitation, type Invitation, invitationPageQuery, invitationsKey, resendInvitation } from './queries';

interface InvitationsProps {
  onLink: (fresh: FreshLink) => void;
  /** A dialog has closed, and the button that opened it may be gone. */
  onClosed: () => void;
}

/** The invitations that nobody accepted yet; nothing where there are none. */
export function Invitations({ onLink, onClosed }: InvitationsProps) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [pageNo, setPageNo] = useState(1);
  const [pageSize, setPageSize] = useState(10);
  const [pending, setPending] = useState<Invitation | null>(null);
  const page = useQuery(invitationPageQuery(pageNo, pageSize));
  const last = page.data ? lastPage(page.data.total, pageSize) : pageNo;
  // The last invitation of the last page is gone: show the page that is now the last.
  if (!page.isPlaceholderData && pageNo > last) setPageNo(last);

  const resend = useMutation({
    mutationFn: ({ id }: Invitation) => resendInvitation(id),
    // The link is kept in a single place only.
    gcTime: 0,
    meta: { failure: 'people.open.resendFail' },
    onSuccess: ({ link, expiresTime }, { email, role }) => {
      if (link === undefined) toast.success(t('people.form.sent', { email }));
      else onLink({ link, role, expiresTime });
    },
    onSettled: () => client.invalidateQueries({ queryKey: invitationsKey }),
  });
  const takeBack = useMutation({
    mutationFn: ({ id }: Invitation) => deleteInvitation(id),
    meta: { failure: 'common.deleteFail' },
    onSuccess: () => {
      toast.success(t('people.open.takenBack'));
      setPending(null);
    },
    // Also after a failure: it may have been accepted meanwhile.
    onSettled: () => client.invalidateQueries({ queryKey: invitationsKey }),
  });

  if (page.isError && !page.data) {
    return (
      <div className={css.error}>
        <ErrorNote
          title={t('people.open.loadFail')}
          text={errorText(page.error)}
          onRetry={() => page.refetch()}
          busy={page.isFetching}
        />
      </div>
    );
  }
  return (
    <>
      {page.data && page.data.total > 0 ? (
        <section className={css.open} aria-label={t('people.open.title')}>
          <h3 className={css.title}>{t('people.open.title')}</h3>
          <ul className={css.list}>
            {page.data.list.map((invitation) => (
              <InvitationRow
                key={invitation.id}
                invitation={invitation}
                busy={resend.isPending && resend.variables.id === invitation.id}
                onResend={() => resend.mutate(invitation)}
                onTakeBack={() => setPending(invitation)}
              />
            ))}
          </ul>
          {page.data.total > pageSize || pageNo > 1 ? (
            <Pager
              total={page.data.total}
              pageNo={Math.min(pageNo, last)}
              pageSize={pageSize}
              onChange={(no, size) => {
                setPageNo(size === pageSize ? no : 1);
                setPageSize(size);
              }}
            />
          ) : null}
        </section>
      ) : null}
      <ConfirmDialog
        target={pending}
        textFor={(invitation) => ({
          question: t('people.open.takeBackAsk'),
          consequence: t('people.open.takeBackText', { name: inviteeOf(invitation) ?? t('people.open.byHand') }),
          verb: t('people.open.takeBack'),
          danger: true,
        })}
        mutation={takeBack}
        onClose={() => setPending(null)}
        onClosed={onClosed}
      />
    </>
  );
}
