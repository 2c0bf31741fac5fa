/// The expected output of `verify` for each file of the corpus.
enum CorpusTable {
  /// One row of a table: a file and its expected findings.
  struct Entry: Sendable, CustomStringConvertible {
    var name: String
    var words: [String]
    var description: String { name }

    init(_ line: Substring) {
      words = line.split(separator: " ").map(String.init)
      name = words.removeFirst()
    }
  }

  /// Each line contains a file, its number of events, and its notes.
  static let accepted = entries(
    """
    y_adopted_user 3
    y_adopted_user_before_the_adoption 3
    y_adopted_user_of_an_adopted_one 5
    y_batch 4
    y_batch_of_a_later_version 4 laterVersion laterVersion
    y_batch_of_the_joining 2
    y_batch_out_of_order 3
    y_batch_unfinished 1 unfinishedBatch
    y_batch_unfinished_but_seen 3
    y_batch_with_others_between 4
    y_blank 0
    y_blank_lines 2
    y_broken_rule 2 brokenRule
    y_byte_order_mark 3 byteOrderMark
    y_canonical 4
    y_checksum_text_inside 2
    y_crlf 2
    y_crlf_mixed 2
    y_data_empty 2
    y_dead_bytes 3 deadBytes
    y_depth_64_arrays 2
    y_depth_64_objects 2
    y_empty 0
    y_erased 3
    y_erased_not_yet 3
    y_erased_original 2 repeatedLine
    y_erased_part 3
    y_escape_solidus 2
    y_escape_surrogate_pair 2
    y_escape_upper_case_hex 2
    y_escaped_entity 2
    y_escaped_names 2
    y_escaped_seen 3
    y_escaped_values 2
    y_escapes_long 2
    y_escapes_short 2
    y_fork 3 fork
    y_fork_at_the_start 2 fork
    y_fork_of_a_later_version 3 laterVersion fork
    y_fork_of_two 5 fork
    y_later_version 2 laterVersion
    y_import_fork 4
    y_import_fork_of_others 6 fork fork
    y_later_version_only_id 2 laterVersion
    y_later_version_other_shape 2 laterVersion
    y_later_version_seen 4 laterVersion
    y_literals 2
    y_longest_device 2
    y_longest_names 2 unknownType
    y_longest_ref_escaped 2
    y_loss_acknowledged 4 acknowledgedLoss
    y_loss_acknowledged_of_another_device 4 acknowledgedLoss
    y_many_members 2
    y_member_order 2
    y_more_escaped 3
    y_more_spaced 3
    y_names_by_bytes 2
    y_no_final_line_feed 2
    y_no_final_line_feed_spaces 2
    y_numbers 2
    y_out_of_order 3
    y_raw_delete 2
    y_raw_non_ascii 2
    y_register_on_a_set 3 setKey
    y_repeated_line 3 repeatedLine
    y_reversed 4
    y_salt 3
    y_salt_escaped 3
    y_salt_first 3
    y_seen_again 4
    y_seen_before_it_stands 3
    y_seen_both_histories 5 fork
    y_seen_earlier_again 5
    y_seen_empty 2
    y_seen_longest_device 3
    y_seen_one_history 5 fork
    y_seen_own_history 3
    y_seen_own_other_history 5 fork
    y_seen_sorted_by_chain 4 fork
    y_seen_sorted_by_device 4
    y_seen_sorted_by_sequence 19 fork
    y_seen_two_of_one_history 4
    y_seen_white_space 3
    y_shortest_names 2 unknownType
    y_spaces 0
    y_spaces_behind 2
    y_two_devices 4
    y_type_of_three_parts 2 unknownType
    y_unknown_member_was 2
    y_unknown_members 2
    y_unknown_type 2 unknownType
    y_unreadable_value 2 unreadableValue
    y_version_1 2
    y_white_space 2
    """)

  /// Each line contains a file and its problems, each as line, byte and code.
  static let refused = entries(
    """
    n_byte_order_mark 2:134:byteOrderMark
    n_byte_order_mark_inside 2:151:malformed
    n_byte_order_mark_sealed 2:134:byteOrderMark
    n_chain_first_event 2:251:invalidChain
    n_chain_first_event_later_version 2:164:invalidChain
    n_checksum_absent 2:244:missingChecksum
    n_checksum_added_space 2:244:checksumMismatch
    n_checksum_empty_object 2:136:missingChecksum
    n_checksum_escaped_name 2:274:missingChecksum
    n_checksum_flipped_chain_digit 2:243:checksumMismatch
    n_checksum_flipped_data 2:243:checksumMismatch
    n_checksum_flipped_digit 2:243:checksumMismatch
    n_checksum_halves_exchanged 2:243:checksumMismatch
    n_checksum_later_version 2:249:checksumMismatch
    n_checksum_long 2:270:missingChecksum
    n_checksum_not_last 2:269:missingChecksum
    n_checksum_number 2:267:missingChecksum
    n_checksum_short 2:268:missingChecksum
    n_checksum_space_before_brace 2:270:missingChecksum
    n_checksum_space_behind 2:270:missingChecksum
    n_checksum_spaced 2:270:missingChecksum
    n_checksum_upper_case 2:269:missingChecksum
    n_checksum_without_the_chain 2:243:checksumMismatch
    n_control_1f_in_string 2:236:controlCharacter
    n_control_between_members 2:151:controlCharacter
    n_control_cr_in_string 2:236:controlCharacter
    n_control_form_feed 2:134:controlCharacter
    n_control_nul_in_string 2:236:controlCharacter
    n_control_nul_in_time 2:157:controlCharacter
    n_control_nul_line 2:134:controlCharacter
    n_control_tab_in_name 2:216:controlCharacter
    n_control_tab_in_string 2:236:controlCharacter
    n_data_array 2:213:invalidData
    n_data_null 2:213:invalidData
    n_data_number 2:213:invalidData
    n_data_text 2:213:invalidData
    n_doubtful_tail_binary 1:0:doubtfulTail
    n_doubtful_tail_cut 2:134:doubtfulTail
    n_doubtful_tail_lines 2:134:doubtfulTail
    n_doubtful_tail_nul 2:134:doubtfulTail
    n_doubtful_tail_whole_file 1:0:doubtfulTail
    n_duplicate_checksum 2:269:duplicateMember
    n_duplicate_empty_name 2:219:duplicateMember
    n_duplicate_escaped 2:220:duplicateMember
    n_duplicate_id 2:151:duplicateMember
    n_duplicate_in_data 2:226:duplicateMember
    n_duplicate_in_later_version 2:226:duplicateMember
    n_duplicate_many 2:554:duplicateMember
    n_duplicate_more 2:218:duplicateMember
    n_duplicate_nested 2:226:duplicateMember
    n_duplicate_seen 2:234:duplicateMember
    n_duplicate_solidus 2:222:duplicateMember
    n_duplicate_unknown 2:222:duplicateMember
    n_entity_dot_in_kind 2:215:invalidEntity
    n_entity_empty 2:215:invalidEntity
    n_entity_long_key 2:215:invalidEntity
    n_entity_long_kind 2:215:invalidEntity
    n_entity_no_key 2:215:invalidEntity
    n_entity_no_kind 2:215:invalidEntity
    n_entity_no_slash 2:215:invalidEntity
    n_entity_non_ascii 2:215:invalidEntity
    n_entity_null 2:215:invalidEntity
    n_entity_number 2:215:invalidEntity
    n_entity_space 2:215:invalidEntity
    n_entity_two_slashes 2:215:invalidEntity
    n_entity_upper_case_kind 2:215:invalidEntity
    n_erased_beside_salt 2:275:invalidErased
    n_erased_number 2:253:invalidErased
    n_gap 3:258:gap
    n_gap_at_the_start 1:0:gap
    n_gap_chain_of_a_first_event 2:134:gap
    n_gap_in_a_batch 3:270:gap
    n_gap_in_seen 2:134:gap
    n_gap_in_seen_behind_what_is_held 3:270:gap
    n_gap_in_seen_of_a_later_version 3:270:gap
    n_gap_in_seen_other_history 4:395:gap
    n_gap_of_a_damaged_line 2:231:checksumMismatch 3:258:gap
    n_gap_of_two 2:134:gap
    n_gap_other_history 2:134:gap
    n_id_far_too_large 2:140:invalidID
    n_id_fraction 2:140:invalidID
    n_id_later_version 2:140:invalidID
    n_id_leading_zero 2:140:invalidID
    n_id_long_device 2:140:invalidID
    n_id_negative 2:140:invalidID
    n_id_no_colon 2:140:invalidID
    n_id_no_device 2:140:invalidID
    n_id_no_sequence 2:140:invalidID
    n_id_non_ascii 2:140:invalidID
    n_id_null 2:140:invalidID
    n_id_number 2:140:invalidID
    n_id_object 2:140:invalidID
    n_id_space 2:140:invalidID
    n_id_too_large 2:140:invalidID
    n_id_trailing 2:140:invalidID
    n_id_two_colons 2:140:invalidID
    n_id_zero 2:140:invalidID
    n_json_array_trailing_comma 2:221:malformed
    n_json_bad_escape 2:220:malformed
    n_json_bad_unicode_escape 2:223:malformed
    n_json_bare_name 2:214:malformed
    n_json_bytes_behind 2:269:malformed
    n_json_comment 2:219:malformed
    n_json_deep_10000 2:198:tooDeep
    n_json_deep_arrays 2:280:tooDeep
    n_json_deep_objects 2:528:tooDeep
    n_json_hex_number 2:219:malformed
    n_json_infinity 2:219:malformed
    n_json_leading_zero 2:219:malformed
    n_json_literal_case 2:218:malformed
    n_json_literal_cut 2:221:malformed
    n_json_minus_alone 2:219:malformed
    n_json_missing_colon 2:218:malformed
    n_json_missing_comma 2:220:malformed
    n_json_missing_value 2:218:malformed
    n_json_no_break_space 2:214:malformed
    n_json_no_exponent_digits 2:220:malformed
    n_json_no_fraction_digits 2:220:malformed
    n_json_no_integer_part 2:218:malformed
    n_json_not_a_number 2:218:malformed
    n_json_plus_sign 2:218:malformed
    n_json_single_quotes 2:214:malformed
    n_json_text 2:134:malformed
    n_json_trailing_comma 2:220:malformed
    n_json_two_values 2:269:malformed
    n_json_unbalanced 2:220:malformed
    n_missing_at 2:134:missingMember
    n_missing_data 2:134:missingMember
    n_missing_id 2:134:missingMember
    n_missing_id_later_version 2:134:missingMember
    n_missing_type 2:134:missingMember
    n_more_array 2:213:invalidMore
    n_more_empty_text 2:213:invalidMore
    n_more_false 2:213:invalidMore
    n_more_later_version 2:213:invalidMore
    n_more_null 2:213:invalidMore
    n_more_number 2:213:invalidMore
    n_more_object 2:213:invalidMore
    n_more_text 2:213:invalidMore
    n_not_an_object_array 2:134:notAnObject
    n_not_an_object_null 2:134:notAnObject
    n_not_an_object_number 2:136:notAnObject
    n_not_an_object_string 2:134:notAnObject
    n_not_joined 2:134:notJoined
    n_not_joined_adoption 2:134:notJoined
    n_not_joined_empty_user 2:134:notJoined
    n_not_joined_later_version 2:134:notJoined
    n_not_joined_long_user 2:134:notJoined
    n_not_joined_lost 2:134:notJoined
    n_not_joined_no_name 2:134:notJoined
    n_not_joined_no_user 2:134:notJoined
    n_not_joined_number_user 2:134:notJoined
    n_not_joined_user_with_control 2:134:notJoined
    n_other_user 2:134:otherUser
    n_other_user_adopted_by_another 2:134:otherUser
    n_other_user_adopted_by_bytes 2:134:otherUser
    n_other_user_by_bytes 2:134:otherUser
    n_other_user_first 1:0:otherUser
    n_ref_empty 2:212:invalidRef
    n_ref_long 2:212:invalidRef
    n_ref_long_escaped 2:212:invalidRef
    n_ref_long_non_ascii 2:212:invalidRef
    n_ref_null 2:212:invalidRef
    n_ref_number 2:212:invalidRef
    n_salt_array 2:251:invalidSalt
    n_salt_digit_1 2:251:invalidSalt
    n_salt_empty_text 2:251:invalidSalt
    n_salt_long 2:251:invalidSalt
    n_salt_null 2:251:invalidSalt
    n_salt_number 2:251:invalidSalt
    n_salt_short 2:251:invalidSalt
    n_salt_upper_case 2:251:invalidSalt
    n_seen_bad_device 2:213:invalidSeen
    n_seen_chain_not_hex 2:213:invalidSeen
    n_seen_chain_of_16 2:213:invalidSeen
    n_seen_chain_of_7 2:213:invalidSeen
    n_seen_chain_of_9 2:213:invalidSeen
    n_seen_chain_sign 2:213:invalidSeen
    n_seen_chain_upper_case 2:213:invalidSeen
    n_seen_duplicate 2:213:invalidSeen
    n_seen_duplicate_apart 2:213:invalidSeen
    n_seen_duplicate_escaped 2:213:invalidSeen
    n_seen_empty_device 2:213:invalidSeen
    n_seen_empty_text 2:213:invalidSeen
    n_seen_exponent 2:213:invalidSeen
    n_seen_far_too_large 2:213:invalidSeen
    n_seen_fraction 2:213:invalidSeen
    n_seen_later_version 2:213:invalidSeen
    n_seen_later_version_unsorted 2:213:invalidSeen
    n_seen_leading_zero 2:213:invalidSeen
    n_seen_long_device 2:213:invalidSeen
    n_seen_negative 2:213:invalidSeen
    n_seen_no_chain 2:213:invalidSeen
    n_seen_no_colon 2:213:invalidSeen
    n_seen_no_sequence 2:213:invalidSeen
    n_seen_no_tilde 2:213:invalidSeen
    n_seen_non_ascii 2:213:invalidSeen
    n_seen_null 2:213:invalidSeen
    n_seen_number 2:213:invalidSeen
    n_seen_number_behind 2:213:invalidSeen
    n_seen_object 2:213:invalidSeen
    n_seen_object_empty 2:213:invalidSeen
    n_seen_object_of_ids 2:213:invalidSeen
    n_seen_of_arrays 2:213:invalidSeen
    n_seen_of_null 2:213:invalidSeen
    n_seen_of_numbers 2:213:invalidSeen
    n_seen_of_objects 2:213:invalidSeen
    n_seen_other_mark 2:213:invalidSeen
    n_seen_short_id 2:213:invalidSeen
    n_seen_sorted_as_text 2:213:invalidSeen
    n_seen_sorted_as_text_devices 2:213:invalidSeen
    n_seen_space_before 2:213:invalidSeen
    n_seen_space_behind 2:213:invalidSeen
    n_seen_text 2:213:invalidSeen
    n_seen_tilde_escaped_twice 2:213:invalidSeen
    n_seen_tilde_in_device 2:213:invalidSeen
    n_seen_too_large 2:213:invalidSeen
    n_seen_true 2:213:invalidSeen
    n_seen_two_colons 2:213:invalidSeen
    n_seen_unsorted_by_case 2:213:invalidSeen
    n_seen_unsorted_chains 2:213:invalidSeen
    n_seen_unsorted_devices 2:213:invalidSeen
    n_seen_unsorted_sequences 2:213:invalidSeen
    n_seen_zero 2:213:invalidSeen
    n_surrogate_high 2:235:loneSurrogate
    n_surrogate_high_then_other_escape 2:235:loneSurrogate
    n_surrogate_high_then_text 2:235:loneSurrogate
    n_surrogate_in_name 2:215:loneSurrogate
    n_surrogate_low 2:235:loneSurrogate
    n_surrogate_reversed 2:235:loneSurrogate
    n_surrogate_two_high 2:235:loneSurrogate
    n_time_29_february 2:156:invalidTime
    n_time_century 2:156:invalidTime
    n_time_comma 2:156:invalidTime
    n_time_day_0 2:156:invalidTime
    n_time_day_30_of_february 2:156:invalidTime
    n_time_empty 2:156:invalidTime
    n_time_five_digit_year 2:156:invalidTime
    n_time_hour_24 2:156:invalidTime
    n_time_letters 2:156:invalidTime
    n_time_lower_case 2:156:invalidTime
    n_time_micros 2:156:invalidTime
    n_time_minute_60 2:156:invalidTime
    n_time_month_0 2:156:invalidTime
    n_time_month_13 2:156:invalidTime
    n_time_no_fraction 2:156:invalidTime
    n_time_null 2:156:invalidTime
    n_time_number 2:156:invalidTime
    n_time_offset 2:156:invalidTime
    n_time_second_60 2:156:invalidTime
    n_time_space 2:156:invalidTime
    n_time_trailing 2:156:invalidTime
    n_truncated_brace 2:135:truncated
    n_truncated_checksum 2:266:truncated
    n_truncated_checksum_inside 2:190:truncated
    n_truncated_escape 2:145:truncated
    n_truncated_object 2:150:truncated
    n_truncated_string 2:144:truncated
    n_type_empty 2:190:invalidType
    n_type_leading_dot 2:190:invalidType
    n_type_long 2:190:invalidType
    n_type_no_dot 2:190:invalidType
    n_type_null 2:190:invalidType
    n_type_number 2:190:invalidType
    n_type_slash 2:190:invalidType
    n_type_space 2:190:invalidType
    n_type_trailing_dot 2:190:invalidType
    n_type_upper_case 2:190:invalidType
    n_unnamed_erasure 2:134:unnamedErasure
    n_utf8_above_10ffff 2:235:invalidUTF8
    n_utf8_byte_ff 2:236:invalidUTF8
    n_utf8_cut_sequence 2:235:invalidUTF8
    n_utf8_five_bytes 2:235:invalidUTF8
    n_utf8_lone_continuation 2:235:invalidUTF8
    n_utf8_overlong_four 2:235:invalidUTF8
    n_utf8_overlong_three 2:235:invalidUTF8
    n_utf8_overlong_two 2:235:invalidUTF8
    n_utf8_surrogate 2:235:invalidUTF8
    n_version_exponent 2:210:invalidVersion
    n_version_fraction 2:210:invalidVersion
    n_version_negative 2:210:invalidVersion
    n_version_null 2:210:invalidVersion
    n_version_object 2:210:invalidVersion
    n_version_text 2:210:invalidVersion
    n_version_too_large 2:210:invalidVersion
    n_version_zero 2:210:invalidVersion
    """)

  private static func entries(_ table: String) -> [Entry] {
    table.split(separator: "\n").map(Entry.init)
  }
}
