//! The named flows, each with its own trouble, told to a good end.

use std::collections::BTreeSet;

macro_rules! told {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let outcome = simulator::story(stringify!($name));
                assert!(outcome.breaches.is_empty(), "{outcome}");
            }
        )*

        #[test]
        fn every_story_is_told_here() {
            let here: BTreeSet<&str> = [$(stringify!($name)),*].into();
            let all: BTreeSet<&str> = simulator::stories().iter().map(|story| story.name).collect();
            assert_eq!(here, all);
        }
    };
}

told! {
    a_power_cut_of_which_it_was_said_that_it_would_be_recovered_is
    a_power_cut_of_followers_that_were_asked_while_they_ran_is_recovered
    a_power_cut_that_was_said_to_wait_for_a_person_does
    of_a_member_that_is_away_it_is_said_that_it_would_be_waited_for_and_it_is
    a_first_bootstrap_survives_a_crash_after_each_effect
    a_claimless_set_loses_one_pod_and_then_all
    a_running_set_of_an_ancestor_is_adopted_and_not_restarted
    a_set_that_healed_itself_is_adopted
    an_operator_that_dies_after_any_effect_of_a_recovery_opens_one_epoch
    an_operator_that_dies_after_any_effect_of_a_failover_leaves_nobody_behind
    an_operator_that_dies_after_any_effect_of_a_takeover_leaves_nobody_behind
    a_follower_that_is_unheard_when_another_is_promoted_goes_on_with_it
    after_a_power_cut_the_last_node_is_waited_for
    power_that_is_cut_again_while_a_seed_comes_up_needs_no_person
    a_power_cut_that_takes_the_operator_too
    a_power_cut_after_the_status_was_erased
    a_power_cut_after_a_claim_was_replaced_and_a_healthy_year
    a_seed_that_fails_while_its_database_comes_up_is_never_doubled
    a_seed_that_hangs_before_it_serves_costs_its_pod_and_no_person
    a_set_that_was_paused_in_an_outage_and_started_by_hand_is_adopted
    three_five_three_and_then_lights_out
    to_zero_and_back_to_three
    from_zero_it_comes_back_with_fewer_only_by_a_key
    a_rollout_goes_one_by_one
    a_bad_template_is_taken_back
    a_power_cut_in_the_middle_of_a_rollout
    a_primary_on_a_lost_node_is_not_replaced_while_it_may_live
    a_dead_primary_is_replaced_by_a_secondary_that_has_it_all
    who_led_is_read_before_it_joins_one_that_a_person_turned_meanwhile
    a_frozen_primary_is_repaired_while_others_serve
    a_pod_deleted_by_force_leaves_a_process_that_is_waited_for
    a_database_without_flock_is_recovered
    a_database_that_drops_the_lock_is_recovered
    a_database_that_makes_a_lineage_of_its_own_is_recovered
    two_lineages_after_a_key_was_used
    a_policy_that_is_changed_amid_an_outage_is_told_of_all_data
    errant_data_stays_so_when_another_policy_reads_less_of_it_and_the_status_is_lost
    one_of_an_older_epoch_that_alone_runs_gives_way_once_the_newest_claims_are_gone
    a_status_that_is_older_than_the_claims
    claims_that_are_older_than_the_status
    a_join_of_two_hours_goes_on_while_another_member_dies
    a_volume_that_an_orphan_holds_is_named_and_used_again_when_it_is_gone
    a_volume_that_takes_no_locks_needs_a_word_for_each_container
    a_power_cut_while_the_statefulset_cannot_be_changed
    a_container_without_a_shell_is_named_and_replaced_by_the_next_template
    a_promotion_waits_for_a_stopped_follower_that_was_never_read
    what_a_copy_left_behind_never_seeds_however_often_the_whole_data_fails
    a_copy_that_hangs_is_ended_and_others_join_meanwhile
    nobody_joins_the_last_live_member_once_it_is_dead
    all_pods_deleted_by_force_five_times_are_back_in_ten_seconds_each_time
    a_container_that_ends_every_few_seconds_keeps_nobody_from_being_recovered
    containers_that_all_end_every_few_seconds_are_read_and_recovered
    a_primary_whose_pod_is_never_gone_is_replaced_on_a_persons_word
    all_claims_made_anew_wait_for_a_person_by_name
    data_that_went_back_behind_what_the_epoch_began_with_waits_for_a_person
    a_new_set_whose_template_cannot_start_begins_with_the_next_one
    a_policy_that_proposes_older_data_seeds_nobody
    a_policy_that_proposes_nobody_of_the_set_seeds_nobody
    a_policy_that_refuses_to_name_a_seed_is_waited_for
    a_policy_whose_order_is_none_promotes_nobody
    a_policy_that_prefers_a_follower_with_less_promotes_nobody
    a_policy_that_names_who_is_no_primary_makes_nobody_follow
    a_policy_that_leaves_a_follower_stopped_disturbs_nobody_else
    a_policy_that_finds_one_member_newest_seeds_once_and_after_all_were_read
    a_policy_that_reads_less_than_the_set_began_with_seeds_nobody
    a_policy_that_reads_nothing_where_there_was_data_seeds_nobody
    a_policy_that_reads_two_lineages_out_of_one_seeds_nobody
}
