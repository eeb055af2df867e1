import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Switch } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '@/lib/feedback/feedback';
import { formErrorText } from '@/lib/http/errorText';
import { userQuery } from '@/lib/http/queries';
import { ConfirmDialog } from '@/ui/ConfirmDialog';
import css from './FactorPolicy.module.css';
import { type PeoplePage, peopleKey, setFactorPolicy } from './queries';

type Policy = PeoplePage['secondFactor'];

/** Whether everybody needs a second factor: only an owner who has one may require it. */
export function FactorPolicy({ policy }: { policy: Policy }) {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const [asked, setAsked] = useState<Policy | null>(null);
  const hasOwn = useQuery(userQuery()).data?.secondFactor ?? true;
  const isRequired = policy === 'required';
  const mayChange = isRequired || hasOwn;
  const set = useMutation({
    mutationFn: setFactorPolicy,
    meta: { shows: [601], failure: 'common.saveFail' },
    onSuccess: async (_, wanted) => {
      toast.success(t(`people.factor.done.${wanted}`));
      await Promise.all([
        client.invalidateQueries({ queryKey: peopleKey }),
        client.invalidateQueries({ queryKey: userQuery().queryKey }),
      ]);
      setAsked(null);
    },
  });
  return (
    <section className={css.policy} aria-labelledby={`${id}-title`}>
      <div className={css.words}>
        <h2 className={css.title} id={`${id}-title`}>
          {t('people.factor.title')}
        </h2>
        <p className={css.what} id={`${id}-what`}>
          {t('people.factor.what')}
        </p>
        {mayChange ? null : (
          <p className={css.own}>
            <Link to="/profile" search={{ tab: 'password' }} className={css.link}>
              {t('people.factor.ownFirst')}
            </Link>
          </p>
        )}
      </div>
      <Switch
        checked={isRequired}
        disabled={!mayChange}
        loading={set.isPending}
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-what`}
        onChange={(on) => setAsked(on ? 'required' : 'optional')}
      />
      <ConfirmDialog
        target={asked}
        textFor={(wanted) => ({
          question: t(`people.factor.ask.${wanted}`),
          consequence: t(`people.factor.then.${wanted}`),
          verb: t(`people.factor.verb.${wanted}`),
          danger: wanted === 'optional',
        })}
        mutation={set}
        refusal={formErrorText(set.error)}
        onClose={() => setAsked(null)}
        onClosed={set.reset}
      />
    </section>
  );
}
