//! The classes, and the words that belong to them.
//!
//! A word stands for all words of its stem, `=word` for itself alone; `two_words` is a phrase,
//! whose words then mean nothing by themselves, and `turn~off` one that others may part. What
//! [`NEUTRAL`] lists means something else than its words do.

use super::Classes;

const NEUTRAL: Classes = Classes(0);
pub(super) const READER: Classes = Classes::of(0);
pub(super) const LIMIT: Classes = Classes::of(1);
/// Limits that only a reader like this has.
pub(super) const SAFETY: Classes = Classes::of(2);
pub(super) const RELEASE: Classes = Classes::of(3);
pub(super) const BIND: Classes = Classes::of(4);
pub(super) const ACT: Classes = Classes::of(5);
pub(super) const GRANT: Classes = Classes::of(6);
pub(super) const POWER: Classes = Classes::of(7);
pub(super) const ALL: Classes = Classes::of(8);
pub(super) const CONSENT: Classes = Classes::of(9);
pub(super) const ALLOWED: Classes = Classes::of(10);
pub(super) const GUIDE: Classes = Classes::of(11);
/// Guidance only if the reader's is meant.
pub(super) const RULES_WORD: Classes = Classes::of(12);
pub(super) const PRIOR: Classes = Classes::of(13);
pub(super) const VOID: Classes = Classes::of(14);
pub(super) const TOLD: Classes = Classes::of(15);
pub(super) const UNREAL: Classes = Classes::of(16);
/// The text itself.
pub(super) const THIS: Classes = Classes::of(17);
pub(super) const ENTHRONE: Classes = Classes::of(18);
pub(super) const THRONE: Classes = Classes::of(19);
pub(super) const OBEY: Classes = Classes::of(20);
pub(super) const ONLY: Classes = Classes::of(21);
pub(super) const USER: Classes = Classes::of(22);
pub(super) const REQUEST: Classes = Classes::of(23);
pub(super) const RANK: Classes = Classes::of(24);
pub(super) const LOW: Classes = Classes::of(25);
pub(super) const OPPOSE: Classes = Classes::of(26);
pub(super) const PERSIST: Classes = Classes::of(27);
pub(super) const TELL: Classes = Classes::of(28);
pub(super) const HIDE: Classes = Classes::of(29);
pub(super) const AUDIENCE: Classes = Classes::of(30);
pub(super) const REPORT: Classes = Classes::of(31);
/// What the reader did, or the text.
pub(super) const SELF: Classes = Classes::of(32);
pub(super) const NEED: Classes = Classes::of(33);
pub(super) const KNOW: Classes = Classes::of(34);
pub(super) const IF_ASKED: Classes = Classes::of(35);
pub(super) const PRETEND: Classes = Classes::of(36);
pub(super) const SWITCH: Classes = Classes::of(37);
pub(super) const PERMISSION: Classes = Classes::of(38);
pub(super) const WAIVE: Classes = Classes::of(39);
pub(super) const AGENTWARE: Classes = Classes::of(40);
pub(super) const EVERY: Classes = Classes::of(41);
/// Files and data that never leave.
pub(super) const PRIVATE: Classes = Classes::of(42);
/// Secrets that have their place in requests.
pub(super) const SECRET: Classes = Classes::of(43);
pub(super) const TRANSFER: Classes = Classes::of(44);
/// Where strangers read.
pub(super) const OUTSIDE: Classes = Classes::of(45);
pub(super) const ADDRESS: Classes = Classes::of(46);
pub(super) const DESTROY: Classes = Classes::of(47);
pub(super) const DEAR: Classes = Classes::of(48);
/// What nobody deletes as a whole.
pub(super) const DEAREST: Classes = Classes::of(49);
pub(super) const ASK: Classes = Classes::of(50);
pub(super) const UNASKED: Classes = Classes::of(51);
pub(super) const CHECK: Classes = Classes::of(52);
/// Checks that honest advice switches off now and then.
pub(super) const SOFT_CHECK: Classes = Classes::of(53);
pub(super) const WEAKEN: Classes = Classes::of(54);
pub(super) const EXCUSE: Classes = Classes::of(55);
/// Where little can be broken.
pub(super) const TRIAL: Classes = Classes::of(56);
/// Guidance that people wrote for people.
pub(super) const DOCS: Classes = Classes::of(57);
/// What the reader was set up with.
pub(super) const CORE: Classes = Classes::of(58);
pub(super) const STRONG_VOID: Classes = Classes::of(59);
pub(super) const SERVE: Classes = Classes::of(60);
pub(super) const NOW: Classes = Classes::of(61);
pub(super) const WEAKEN_IT: Classes = Classes::of(62);
pub(super) const VALUE: Classes = Classes::of(63);
pub(super) const OVERRULE: Classes = Classes::of(64);
pub(super) const OVER_USER: Classes = Classes::of(65);
pub(super) const ONLY_THEN: Classes = Classes::of(66);
/// Verbs that are other words as well, so they count only where an order begins.
pub(super) const NOUNISH: Classes = Classes::of(67);
pub(super) const ACCEPT: Classes = Classes::of(68);
pub(super) const DISSUADE: Classes = Classes::of(69);
pub(super) const TREAT_AS: Classes = Classes::of(70);
pub(super) const YOUR_GUIDE: Classes = Classes::of(71);
pub(super) const BLANK: Classes = Classes::of(72);
/// What is done although somebody says no.
pub(super) const DEFY: Classes = Classes::of(73);
pub(super) const EVEN_IF: Classes = Classes::of(74);
pub(super) const UNTOLD: Classes = Classes::of(75);
pub(super) const APPEAR: Classes = Classes::of(76);
pub(super) const TRACE: Classes = Classes::of(77);
pub(super) const TEST: Classes = Classes::of(78);
pub(super) const STALE: Classes = Classes::of(79);
pub(super) const PREFER: Classes = Classes::of(80);
pub(super) const OVER: Classes = Classes::of(81);
pub(super) const TYPED: Classes = Classes::of(82);
pub(super) const MISTAKEN: Classes = Classes::of(83);
pub(super) const LAST_WORD: Classes = Classes::of(84);
pub(super) const ASKING: Classes = Classes::of(85);
pub(super) const SO: Classes = Classes::of(86);
pub(super) const NOTICE: Classes = Classes::of(87);
pub(super) const MASK: Classes = Classes::of(88);
pub(super) const STOP: Classes = Classes::of(89);
pub(super) const DAEMON: Classes = Classes::of(90);
pub(super) const UNVERIFIED: Classes = Classes::of(91);

/// Classes of verbs that count only if the text asks for it.
pub(super) const DEEDS: Classes = TRANSFER.or(DESTROY).or(WEAKEN).or(HIDE).or(TELL);

pub(super) const WORDS: &[(Classes, &str)] = &[
    (
        READER,
        "you your yourself you're you've agent claude codex gemini copilot language_model chatbot this_session this_machine whoever_reads reader whoever_loads coding_agent cursor_agent this_workspace =whoever =assistant =assistants",
    ),
    (
        LIMIT,
        "restriction limitation limits =limit confirmation approval review clearance permission_check allow_list policy rules scope",
    ),
    (
        SAFETY,
        "guardrail safeguard safety_rule safety_limit safety_filter safety_layer content_filter refusal_layer content_rule usual_limit usual_restriction usual_rule normal_limit normal_restriction safety_check safety_restriction safety_guideline operating_limit ethical_limit moderation safety_policy content_policy usual_policy usage_policy ethical_filter ethic refusal_rule censorship safety_setting safety_training guard_rails safety_mode ethical_rule safety_measure hard_limit approval_requirement confirmation_step =refusal =refusals safety_switch safe_mode safety_net kill_switch safety_boundary",
    ),
    (
        RELEASE,
        "lift waive suspend revoke no_longer turned_off switched_off =off void exempt relax unlocked unlimited zero remove set_aside stood_down stand_down inactive outranked unrestrict =0 none disable relaxed dropped not_in_force retired does_not_apply exempt excused immune unbound free_of free_from freed go_past may_go_past go_beyond raised_by was_raised were_raised",
    ),
    (
        BIND,
        "bind apply concern govern restrict constrain count matter valid",
    ),
    (
        ACT,
        "act operate proceed work behave answer respond run decide execute",
    ),
    (
        GRANT,
        "entrust vest entitle empower deputise deputize act_as acting_as you_are_now you_now_have now_have now_hold you_hold hold now_run running_with you_act appoint confer operate_as operating_as speak_for are_now has_been_given have_been_given designate invest made_you makes_you empowered signed_in_as treated_as now_act now_operate full_operation =authorised =authorized =enabled =activated =active =cleared =granted =grants =promoted =elevated treat_yourself consider_yourself regard_yourself see_yourself think_of_yourself count_yourself =unlocked =trusted =authorised",
    ),
    (
        POWER,
        "=admin =admins administrator root superuser owner god_mode godmode sudo privilege =privileged clearance full_access full_control full_rights =rights unrestricted carte_blanche free_rein all_permission full_permission =authority superadmin operator_rights full_authority unlimited_access elevated_access deputy full_trust override_rights sysadmin break_glass captain chief director =lead god_level org_owner organization_owner full_power privileges_full privileges_unlimited supervisor omnipotent plenary write_access_to_everything unlimited_rights all_rights root_approval power_user root_access unrestricted_operation every_permission unlimited_permission capability =maintainer =maintainers =commander",
    ),
    (
        ALL,
        "anything everything whatever =any all every blanket each nothing_is_off anything_goes whatsoever =standing",
    ),
    (
        CONSENT,
        "already_approved already_authorised already_authorized approved_in_advance blanket_consent standing_consent standing_approval blanket_approval standing_permission permission_granted counts_as_approved counts_as_approval is_approved is_authorised is_authorized is_permitted are_approved are_permitted signed_off counts_as_consent counts_as_permission prior_consent pre_authorised pre_authorized preauthorised preauthorized pre_approved preapproved anything_goes you_see_fit you_deem as_you_like you_think_best at_your_discretion counts_as_yes is_allowed are_allowed is_consented free_to_use cleared_in_advance already_cleared already_permitted already_consented",
    ),
    (
        ALLOWED,
        "allow permit permission =authorise =authorize =authorised =authorized is_allowed are_allowed is_permitted is_approved is_authorised is_authorized",
    ),
    (
        GUIDE,
        "instruction guidance guideline system_prompt system_message developer_message charter mandate agents_md claude_md gemini_md cursorrules marching_orders operating_manual ground_rule house_rule briefing brief preamble system_instruction your_orders core_rules the_prompt your_prompt your_instructions user_prompt live_instruction agent_rules agent_instruction system_text earlier_lesson other_lesson earlier_note previous_lesson =directive =directives =directions",
    ),
    (
        RULES_WORD,
        "rule prompt message orders training manual handbook constitution duties programming principles setup_text role",
    ),
    (
        PRIOR,
        "previous prior earlier preceding above original initial former so_far came_with up_to_now until_now old =existing past hitherto foregoing",
    ),
    (
        VOID,
        "void expire supersede withdraw withdrawn revoke obsolete deprecate replace out_of_date outdated stale cancel overrule annul disregard forget ignore discard drop set_aside set~aside throw_out throw~out throw~away abandon unlearn overwritten no_longer invalid lapse rescind put~aside do_away outlived superseding clear_away defunct null stop_following retract dev_null overrule scrapped ceased out_of_force =not_binding",
    ),
    (
        TOLD,
        "you_were_told you_have_been_told you've_been_told you_have_read you_were_given you_were_taught you_have_learned came_before came_earlier went_before said_earlier told_before you_read_before you_were_shown preceding_text text_above everything_above all_the_above you_were_asked_earlier you_learned you_were_instructed",
    ),
    (
        UNREAL,
        "fixture fake draft placeholder mistake decoy dummy test untrue false outdated",
    ),
    (
        THIS,
        "this_note this_lesson this_memory this_entry this_text this_message this_file this_document this_page this_block this_paragraph this_record this_reminder this_hint this_brief what_follows these_lines this_line these_lessons these_notes the_note the_lesson memory_entry this_memo this_card these_instruction following_text this_instruction lessons_here notes_here this_rule these_rules this_advice this_bulletin this_section this_store this_handbook this_manual present_note =lessons in_here the_below this_overrides this_outranks these_words this_context this_item this_knowledge this_guidance this_memo this_directive lesson_store",
    ),
    (
        ENTHRONE,
        "replace supersede is_now only sole complete govern authoritative final from_now_on from_here treat_as is_your are_your take_its_place take_their_place acts_as count_as stands_in in_place constitute becomes serves_as the_real take_over takes_over instead_of go_by in_its_stead in_their_stead =binding",
    ),
    (
        THRONE,
        "manual constitution source_of_authority principal commander =operator",
    ),
    (
        OBEY,
        "obey follow comply adhere heed carry_out abide listen_to listen work_from act_on defer_to go_by honour rely_on consult",
    ),
    (
        ONLY,
        "only alone solely exclusively nothing_else word_for_word to_the_letter verbatim nothing_but",
    ),
    (
        USER,
        "=user human =person =operator whoever_is_typing chat_message newer_message later_message person_typing whoever_typed the_chat their_wish his_wish her_wish keyboard requestor the_prompt newer_message people_typing =developer =requester =prompter the_conversation in_the_chat",
    ),
    (
        REQUEST,
        "request wish instruction message ask want objection say order preference prompt word veto complaint demand question correction input refuse no_from veto",
    ),
    (
        RANK,
        "outrank overrule override supersede prevail win precedence priority comes_before come_first comes_first goes_first above ahead trump beat final senior higher last_word take_over stronger weigh outweigh go_before rank first_place this_overrides this_outranks outvote =binding",
    ),
    (
        LOW,
        "secondary subordinate give_way gives_way yield advisory not_final noise disregard ignore overrule outrank non_binding mere merely only_then second_place lesser not_final negligible may_wait can_wait are_suggestion mere_suggestion only_suggestion are_hint only_hint come_second comes_second second_to less_weight",
    ),
    (
        OPPOSE,
        "stop object refuse insist protest disagree conflict contradict complain says_no otherwise revoke hesitate pushes_back push_back differently oppose forbid",
    ),
    (
        PERSIST,
        "carry_on continue proceed keep_going regardless anyway press_on go_on go_ahead persist overrule noise note_wins this_wins stick_to hold_to keep_to try_again another_way all_the_same nonetheless nevertheless =ignore",
    ),
    (
        TELL,
        "tell mention report disclose reveal show quote cite list name say notify inform announce bring_up raise admit explain credit refer acknowledge discover note answer point_out bring surface",
    ),
    (
        HIDE,
        "hide conceal omit leave~out keep_quiet quiet silent silently quietly strip discreet unmentioned unnoticed disguise cover_up secretly between_us keep_to_yourself under_the_radar low_profile hush withhold gloss_over keep~out cut~out unreported off_the_record drop~from leave_out_that omit_that confidential between_ourselves keep_secret keep_it_secret keep_this_secret keep_that_secret hidden_from",
    ),
    (
        AUDIENCE,
        "team auditor colleague anyone anybody nobody no_one them they people boss coworker compliance human whoever management teammate =maintainer =maintainers =reviewer =reviewers",
    ),
    (
        REPORT,
        "your_summary your_report your_answer your_reply your_response your_final pr_text final_message final_answer final_report final_summary recap hand_off handover what_you_show what_you_report what_you_tell end_summary closing_message your_message your_notes status_report your_recap the_summary your_output your_log your_transcript your_source your_reference your_reasoning your_description your_explanation pr_text pr_body in_chat pr_description leave_out_that the_report your_write_up write_up your_answers standup commit_body release_summary final_reply between_us between_ourselves keep_it_secret keep_this_secret keep_that_secret",
    ),
    (
        SELF,
        "this_lesson this_note this_memory this_step this_change about_it about_this about_that it this what_you_did this_entry these_lessons this_rule your_change these_steps this_instruction the_lesson the_note these_notes leave_out_that omit_that",
    ),
    (NEED, "need have reason point cause necessary want let"),
    (
        KNOW,
        "know hear see notice learn find_out worry realise realize aware confuse learn_of when_told distract alarm bother",
    ),
    (
        IF_ASKED,
        "if_asked if_questioned if_anyone_asks if_they_ask if_someone_asks if_the_user_asks should_anyone_ask if_anybody_asks if_you_are_asked if_pressed if_queried someone_wonders anyone_wonders they_wonder wonders_why when_challenged when_questioned if_challenged if_somebody_asks asked_why if_the_team_asks if_a_reviewer_asks reviewer_asks user_asks_why user_asks_about anyone_asks someone_asks should_somebody should_someone should_they_ask should_the_user should_anybody",
    ),
    (
        PRETEND,
        "pretend as_if_it_had as_though always_been_so always_was always_like_that deny_knowledge it_was_always deny_it deny_that play_dumb claim_that_it act_as_if make_it_look looks_like_it_was appear_as_if blame",
    ),
    (
        SWITCH,
        "bypasspermission trust_all_tool allow_all_tool full_auto danger_full_access skip_permission approval_policy_never auto_accept_edit acceptedit yes_always auto_approve_all auto_approve_every dont_ask_again approvals_never ask_for_approval_never approval_mode_yolo a_never auto_approve_tool autorun_mode auto_run_mode skipautopermission =yolo autoapprove =dangerously trust_all_tools approve_everything trust_everything alwaysallow",
    ),
    (
        PERMISSION,
        "permission approval confirmation consent sandbox allow_list allowlist allowedtool deny_rule deny_list denylist permissiondecision autorun auto_run whitelist ask_rule auto_approve auto_accept always_allow blanket_consent blanket_approval allow_rule permission_prompt confirmation_prompt bypass_mode approvals_mode permission_mode autopilot workspace_trust trusted_folder tool_confirmation tool_approval approve_tool",
    ),
    (
        WAIVE,
        "skip bypass never always auto none =off disable all any every everything unattended blanket yes remove silence suppress star wildcard drop broad accept automatically turn_off unconditional always_allow blanket_consent blanket_approval auto_approve auto_accept delete unlimited standing autopilot automatic permissive without_prompts no_prompts preapproved trusted yes_to_all",
    ),
    (
        AGENTWARE,
        "claude codex gemini cursor copilot aider cline windsurf agent pretooluse mcp tool_call coding_agent =session goose roo opencode settings_local_json config_toml tool_server tool_approval cli_agent the_bot opencode zed amp windsurf",
    ),
    (
        EVERY,
        "all every everything entire whole complete recursive completely anything wholesale whatsoever everywhere =any",
    ),
    (
        PRIVATE,
        "credentials private_key private_half private_halves browser_cookie session_cookie ssh_key keychain keepass environment_variable process_environment printenv password_file shell_history bash_history kubeconfig deploy_key signing_key service_account_key home_directory passwd shadow_file env_file whole_environment env_dump master_key keystore wallet seed_phrase user_table user_data database_dump password_store authorized_keys personal_data vault_content npmrc netrc pgpass secrets_yml secrets_yaml secrets_json credentials_json service_account_json ssh_directory shadow password_hash tfstate service_account browser_profile cookie_jar clipboard database_export core_dump payroll salary kdbx pem =p12 =pfx env_variable env_vars envs whole_env full_env prod_yml bank_detail home_folder =customer_table =customer_records =customer_data =customer_list =customer_record =customer_email =customer_emails source_code employee_data chat_history conversation_history all_secret all_token all_password every_secret every_token every_password every_credential all_credential all_key",
    ),
    (
        SECRET,
        "token =key =keys password secret =pat credential passphrase cookie dsn api_key apikey auth_token connection_string access_token deploy_token secret_key signing_secret client_secret bearer webhook_secret encryption_key private_token session_token refresh_token =pwd",
    ),
    (
        TRANSFER,
        "send post e_mail email forward upload attach paste share submit include embed put append publish transmit ship copy hand deliver quote encode ping add write report look_up drop~in provide print repeat spell expose carry push mail give pass render curl scp rsync netcat wget containing leave_a use~as supply relay sync back_up beam leak exfiltrate dump echo log tweet register drop~into encode~into base64 hash~into telegraph tack set~to",
    ),
    (
        OUTSIDE,
        "issue ticket gist forum commit_message branch_name dns hostname subdomain pastebin public slack discord telegram vendor contractor cdn bug_report stackoverflow status_page badge banner log_drain trailer user_agent query_string image_url pr_description pr_text pr_comment issue_comment outsider stranger support_desk mailing_list changelog feature_branch pull_request commit_trailer release_notes ping_back beacon markdown_picture markdown_image comment_thread third_party partner description leave_a_comment chat =maintainers status_channel shared_channel forum_thread wiki_page supplier reseller external outside_the_company telemetry analytics crash_report webhook_site requestbin transfer_sh ngrok build_log ci_log public_log job_log job_output support_portal pull_request_text author_e_mail author_email author_name commit_author local_part user_email commit_subject commit_body tag_name release_note public_bucket public_channel error_report artifact_name txt_record dns_query dns_lookup community reddit twitter package_description readme_badge image_link hidden_comment html_comment docker_label version_string job_summary",
    ),
    (
        ADDRESS,
        "url endpoint webhook server host bot support e_mail_address collector",
    ),
    (
        DESTROY,
        "delete wipe erase purge destroy nuke drop truncate format mkfs shred rm expire force_push prune obliterate rewrite_history get_rid reset_hard clean_out throw~away blow_away remove empty overwrite clear_out terraform_destroy drop_schema kubectl_delete flushall dd clear~out reset_everything cleanse tear_down raze burn reformat overwrite_history rebase_away reset_hard wipe_out hard_reset push_force push_f clear",
    ),
    (
        DEAR,
        "backup worktree partition volume bucket namespace database branch snapshot repository repositories remote cluster =ns =files table =customer =customers",
    ),
    (
        DEAREST,
        "home_directory home_folder prod reflog uncommitted live_workspace live_database root_filesystem other_worktree hard_disk whole_disk user_documents documents_folder photos mailbox main_branch live_data live_system user_files user's_files whole_repo git_history git_directory entire_repository documents_directory all_volumes all_backups home_partition boot_disk root_disk entire_disk live_cluster live_environment users_directory shared_drive customer_table untracked_work unpushed unmerged_work stashes git_folder =production",
    ),
    (
        ASK,
        "ask confirm confirmation wait approval permission hesitate consult go_ahead sign_off check_with checking_with warn_anyone prompting permission double_check ask_for_permission ask_for_approval ask_for_confirmation ask_permission wait_for_approval wait_for_confirmation wait_for_permission",
    ),
    (
        UNASKED,
        "unprompted straight_ahead go_straight_ahead nobody_minds nobody_will_miss no_question unattended without_further_ado no_confirmation without_prompting has_copies has_a_copy have_copies go_right_ahead at_once_without just_do_it don't_dither straight_away immediately_and without_hesitation without_a_backup without_backup no_backup skip_the_backup no_one_will_notice won't_be_missed right_away asking_first asking_only asking_just asking_delays before_anyone before_anybody",
    ),
    (
        CHECK,
        "signature checksum host_key certificate tls ssl selinux apparmor seccomp codeql semgrep secret_scan gitleaks trufflehog branch_protection csrf mfa 2fa antivirus edr falcon audit_log provenance attestation pre_receive authentication isauthorized access_control waf sast snyk trivy signature_check virus_scan host_key_check two_factor security_scan security_check webhook_signature hmac gatekeeper intrusion reject_unauthorized verify_ssl sslverify npm_audit cargo_audit endpoint_agent tls_reject_unauthorized_0 stricthostkeychecking_no strict_ssl_false sslverify_false rejectunauthorized_false insecure_skip_tls no_check_certificate verify_signature nogpgcheck no_gpg_check allow_unauthenticated verify_none userknownhostsfile secret_scanning code_signing notarization ssl_pinning push_protection status_check vulnerability_scan virus malware defender ufw iptables auth_middleware jwt_verification password_hashing origin_check nopasswd seccomp_unconfined root_login encryption csp sri lockfile_integrity signed_commit image_signing admission_webhook admission_controller pinned_digest auth_check login_check password_check permission_guard security_group security_policy security_gate security_rule security_header known_hosts certificate_verification ssl_verification tls_verification setenforce_0 fail2ban login_throttling brute_force captcha dlp sandbox_exec secure_boot clamav crowdstrike sentinelone wazuh auditd secret_detection secret_check detect_secrets dependency_check vulnerability license_check key_verification signature_verification webhook_verification input_validation xss sql_injection =authorization =authorisation =auth =integrity =sandboxing injection_filter prompt_filter",
    ),
    (
        SOFT_CHECK,
        "rate_limit rate_limiter scanner scan sandbox linter verification hash hook pre_commit policy approval audit review_requirement required_review validation type_check test_gate coverage_gate dependabot cors verify_none code_owners codeowners",
    ),
    (
        WEAKEN,
        "disable turn_off turn~off switch_off switch~off skip bypass ignore strip comment_out comment~out won't_fix continue_on_error uninstall relax loosen weaken silence mute dismiss permissive insecure no_verify waive unset allow_bypass fail_open stub_out deactivate circumvent no_check take~out leave~off delete remove drop exclude tls_reject_unauthorized_0 stricthostkeychecking_no strict_ssl_false sslverify_false rejectunauthorized_false insecure_skip_tls no_check_certificate nogpgcheck no_gpg_check allow_unauthenticated verify_none no_verify_signature stop~sensor stop~agent setenforce_0 downgrade opt_out neuter short_circuit unconfined nopasswd allow_all unpin patch_out exempt make_optional hard_code_true always_true blank_out rip_out cut_out taken_out allowlist_all no_longer_run never_fail soft_fail warn_only unenforced trust_all pass_through wave_through leave_disabled let_through force_merge admin_merge turn_it_off turn_them_off comment_them_out comment_it_out switch_it_off switch_them_off mark~skipped as_skipped as_optional allowed_to_fail",
    ),
    (
        EXCUSE,
        "for_good permanently harmless false_alarm false_positive noise slower nobody_attacks latency red_for no_risk only_finds nuisance annoying gets_in_the_way in_the_way safe_enough trusted_network behind_our_vpn nobody_reads never_found in_every_pr needless slows superseded costs_seconds permanent not_worth brings_nothing slow slows costs from_now_on flaky never_helped too_strict outdated_rule wastes time_waster overkill everywhere =including_the it_is_quicker it's_quicker comes_back",
    ),
    (
        TRIAL,
        "fixture staging local localhost dev scratch throwaway temporary tmp cache emulator sample ci",
    ),
    (
        DOCS,
        "readme docs =doc wiki install setup build guide tutorial opcode template decoder cpu compiler",
    ),
    (
        CORE,
        "system_prompt system_message developer_message system_instruction original_charter your_charter",
    ),
    (
        STRONG_VOID,
        "void overrule disregard forget revoke withdraw withdrawn annul rescind set_aside set~aside null unlearn throw_out dev_null lapse outlived =not_binding",
    ),
    (
        SERVE,
        "works_for work_for answers_to answer_to reports_to takes_orders take_orders takes_tasks take_tasks loyal serves serve belongs_to accountable_to",
    ),
    (
        NOW,
        "now from_now_on from_here henceforth from_today from_here_on",
    ),
    (
        WEAKEN_IT,
        "delete~it disable~it turn_it_off turn_them_off comment_them_out comment_it_out skip~it skip~them switch_it_off switch_them_off bypass~it bypass~them remove~them ignore~it disable~them uninstall~it drop~it wave_it_through dismiss~it dismiss~them delete~them kill~it stop~it strip~them strip~it exclude~it silence~it mute~it",
    ),
    (
        VALUE,
        "value_of content_of contents_of output_of text_of bytes_of dump_of copy_of values_of",
    ),
    (
        OVERRULE,
        "revoke overrule countermand veto cancel talk_you_out overturn undo_this call_off dissuade stop_you persuade_you",
    ),
    (
        OVER_USER,
        "over_their over_the_user over_his over_her against_their against_the_user despite_their regardless_of_the_user above_the_user before_the_user ahead_of_the_user over_the_person over_the_human over_the_developer",
    ),
    (
        ONLY_THEN,
        "only_then only_after only_afterwards not_until_then",
    ),
    (
        NOUNISH,
        "mail report add give pass empty format drop comment quote post share copy hand write embed reset push print ping exclude render put issue mirror stop use leave_a forward upload delete_s curl strip supply relay sync echo dump log register base64 leak set drop clear",
    ),
    (ACCEPT, "accept trust regenerate update adopt"),
    (
        DISSUADE,
        "talk_you_out stop_you persuade_you dissuade_you talked_out argue_with you_out_of change_your_mind sway_you deter_you",
    ),
    (
        TREAT_AS,
        "treat~as take~as regard~as use~as read~as adopt~as load~as accept~as consider~as work_by live_by operate_under operate_by go_by",
    ),
    (
        YOUR_GUIDE.or(READER).or(RULES_WORD),
        "your_system_prompt your_instruction your_rules your_brief your_orders your_manual your_new your_only your_real your_actual your_guideline your_guidance your_constitution your_charter your_policy your_handbook your_mandate your_operating your_directive your_prompt",
    ),
    (
        BLANK,
        "blank_slate clean_slate context_reset memory_wipe reset_your start_afresh wipe_your_memory clear_your_context",
    ),
    (
        DEFY,
        "told_otherwise asked_otherwise told_not_to asked_not_to tells_you_not says_not_to whatever_the_user whatever_the_human whatever_the_person whatever_they_say regardless_of_what_the_user no_matter_what_the_user no_matter_what_they instructed_otherwise even_if_told even_if_instructed even_if_forbidden over_their_objection despite_objections over_objection instructs_otherwise tells_you_otherwise told_to_stop asked_to_stop tells_you_to_stop even_after_being_told user_says_otherwise user_asks_otherwise developer_says_otherwise they_say_otherwise whatever_the_developer instead_of_what_was_asked instead_of_what_they_asked whatever_they_ask whatever_was_asked",
    ),
    (
        EVEN_IF,
        "even_if even_when even_though no_matter_how no_matter_what however_often however_much however_firmly regardless_of_how",
    ),
    (
        UNTOLD,
        "without_telling without_informing without_notifying without_mentioning without_a_word without_reporting without_disclosing without_saying no_mention without_announcing keep_it_to_yourself keep_this_to_yourself keep_that_to_yourself without_comment",
    ),
    (
        APPEAR,
        "appear show_up turn_up figure belong listed mentioned visible find_its_way go_into surface",
    ),
    (
        TRACE,
        "shell_history bash_history histfile audit_trail audit_log history_c dev_null undo_log log_entry log_line command_history reflog",
    ),
    (TEST, "test spec suite"),
    (
        STALE,
        "stale out_of_date outdated deprecate supersede expire obsolete replace retired no_longer",
    ),
    (
        PREFER,
        "prefer favour favor put place value rank choose trust follow pick",
    ),
    (OVER, "=over =above ahead_of before_what"),
    (
        TYPED,
        "types_in user_types developer_types person_types they_type is_typed typed what_they_say says wants whatever_the_developer whatever_the_user =asks_for",
    ),
    (
        MISTAKEN,
        "mistaken misremember misunderstand clueless in_a_hurry knows_no_better out_of_their_depth overcautious usually_wrong often_wrong",
    ),
    (
        LAST_WORD,
        "final_word last_word final_say last_say final_authority",
    ),
    (
        ASKING,
        "=asks =asked =ask =insists =insist =objects =refuses =wants =says =tells =protests =disagrees =complains =forbids =object =refuse",
    ),
    (SO, "=so =then =that_way"),
    (
        NOTICE,
        "notice suspect find_out spot realise realize catch see_it wonder",
    ),
    (MASK, "mask masker redact redactor filter scrubber censor"),
    (STOP, "stop kill uninstall pause unload quit unmount"),
    (
        DAEMON,
        "auditd falcon clamav crowdstrike defender antivirus fail2ban firewall ufw sensor edr sentinelone wazuh ossec endpoint_agent apparmor security_agent monitoring_agent virus_scanner watchdog_agent",
    ),
    (UNVERIFIED, "verify_false verification_false"),
    (
        NEUTRAL,
        "size_limit time_limit memory_limit file_limit upload_limit lint_rule eslint_rule firewall_rule css_rule log_in with_token using_token rule_of_thumb rm_it it_turns =asked_for ticket_key issue_key jira_key primary_key foreign_key cache_key idempotency_key sort_key partition_key translation_key i18n_key public_key object_key csrf_token token_count token_limit token_usage design_token with_the_token use_the_token use_token needs_token key_point key_value via_token empty_string empty_array empty_list empty_state empty_file ssh_agent user_agent_string in_the_above review_policy retry_policy push_force_with_lease unless_told_otherwise unless_asked_otherwise unless_instructed_otherwise unless_you_are_told test_database test_db test_bucket test_user test_table",
    ),
];

/// What is spelled like code: what a name or a path has in it, and what that makes of it.
const CODE: &[(&str, Classes)] = &[
    ("~/.ssh", PRIVATE),
    ("/.ssh/", PRIVATE),
    ("id_rsa", PRIVATE),
    ("id_ed25519", PRIVATE),
    ("~/.aws", PRIVATE),
    ("~/.kube", PRIVATE),
    ("~/.gnupg", PRIVATE),
    (".netrc", PRIVATE),
    (".pgpass", PRIVATE),
    (".git-credentials", PRIVATE),
    ("/etc/passwd", PRIVATE),
    ("/etc/shadow", PRIVATE),
    ("process.env", PRIVATE),
    ("os.environ", PRIVATE),
    ("master.key", PRIVATE),
    (".kdbx", PRIVATE),
    ("_key}", SECRET),
    ("_token", SECRET),
    ("_secret", SECRET),
    ("_api_key", SECRET),
    ("http://", ADDRESS),
    ("https://", ADDRESS),
    ("~/documents", DEAREST),
    ("$home", DEAREST),
    ("bash(*", SWITCH),
    ("bash(rm", SWITCH),
    ("~/pictures", DEAREST),
    ("~/desktop", DEAREST),
    ("secrets.y", PRIVATE),
    ("_key,", SECRET),
    ("_pat", SECRET),
    ("_key=", SECRET),
    (".pem", PRIVATE),
    (".p12", PRIVATE),
    ("bash_history", PRIVATE),
    (".claude/settings", AGENTWARE),
];

/// Returns the classes of what stands between two blanks.
pub(super) fn of_code(chunk: &str) -> Classes {
    let has = CODE.iter().filter(|(part, _)| chunk.contains(part));
    let classes = has.fold(NEUTRAL, |all, &(_, classes)| all | classes);
    let chunk = chunk.trim_end_matches(['.', '`', ',', ';', ':', ')']);
    match chunk
        .trim_matches(|ch: char| !ch.is_ascii_alphanumeric() && !matches!(ch, '.' | '~' | '/'))
    {
        "~" | "~/" => classes | DEAREST,
        "/" if chunk.starts_with('`') => classes | DEAREST,
        bare if bare.ends_with(".env") => classes | PRIVATE,
        bare if is_mail(bare) || is_host(bare) => classes | ADDRESS,
        _ if chunk.starts_with(['#']) && chunk.len() > 3 => classes | OUTSIDE,
        _ => classes,
    }
}

fn is_mail(chunk: &str) -> bool {
    chunk
        .split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains(':'))
}

/// Ends of names of hosts that are not ends of names of files.
const HOST_ENDS: &[&str] = &[
    "com", "net", "org", "io", "dev", "example", "app", "cloud", "xyz", "site",
];

fn is_host(chunk: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let is_number = |part: &str| part.parse::<u8>().is_ok();
    let mut parts = chunk.split('.');
    parts.clone().all(is_part)
        && (parts.clone().count() == 4
            && parts.clone().all(is_number)
            && !chunk.starts_with("127.")
            && !chunk.starts_with("10.")
            || parts
                .next_back()
                .is_some_and(|end| HOST_ENDS.contains(&end))
                && parts.next().is_some())
}
