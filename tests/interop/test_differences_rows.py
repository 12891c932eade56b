"""Each row of the pages on differences from netCDF-C has a test that shows it.

Rows of the tables `CASES` and `FILES` of the tests named after the pages show themselves. `SHOWN` names the others' tests, by
the beginning of the row.
"""

import pathlib
import re

import pytest
import test_differences_nccopy
import test_differences_ncdump
import test_differences_ncgen
import test_differences_reading

ROOT = pathlib.Path(__file__).parent.parent.parent
PAGES = sorted((ROOT / "docs" / "reference").glob("differences*.md"))
TABLES = {
    "differences.md": [test_differences_nccopy.CASES],
    "differences-ncdump.md": [test_differences_ncdump.CASES, test_differences_ncdump.FILES],
    "differences-ncgen.md": [test_differences_ncgen.CASES],
    "differences-reading.md": [test_differences_reading.CASES],
}
REMOTE = "crates/core/tests/all/remote_requests"
SHOWN = {
    "differences.md": {
        "fill values, fill times": "test_fill_properties.py::test_copies_agree_with_h5repack",
        "chunks never written": "test_rules_fill.py::test_fill_values_are_kept_and_unwritten_stays_unwritten",
        "filters that are kept": "test_rules_filters.py::test_parameters_as_stored_survive_new_chunks",
        "encoded chunks": "test_rules_filters.py::test_chunks_of_plugins_pass_through",
        "unfiltered edge chunks": "test_edge_chunks.py::test_unfiltered_edge_chunks_pass_raw",
        "a filtered chunk whose": "test_chunk_memory.py::test_a_claim_is_refused",
        "`-F none -F var": "test_rules_filters.py::test_table_with_none",
        "`-F var,…` of a deflated": "test_rules_filters.py::test_table_without_none",
        "several `-F`": "test_rules_filters.py::test_names_groups_and_star",
        "surplus parameters": "test_differences_nccopy.py::test_surplus_parameters_reach_the_plugin_of_netcdf_c",
        "`-8b`": "test_rules_filters.py::test_constants",
        "unknown name, number": "test_rules_filters.py::test_bad_filters",
        "a filter that is neither": "test_rules_filters.py::test_unknown_filters_pass_through_and_are_named_when_they_must_be_decoded",
        "`-d N`": "test_rules_filters.py::test_deflate_keeps_up_with_zlib",
        "`-c time/1": "test_dimension_options.py::test_a_rule_of_several_dimensions_leaves_coordinates_whole",
        "`-M`": "test_rules_chunks.py::test_minimum_chunk_size",
        "`-m`": "test_records.py::test_netcdf4_has_the_same_values_whatever_the_memory",
        "`--isel`": "test_parts.py::test_random_slices_are_those_of_numpy",
        "fletcher32 with szip": "test_differences_shown.py::test_fletcher32_with_szip_on_numbers_of_8_bytes",
        "a NaN in scale-offset": "test_scale_offset.py::test_a_nan_is_not_lost",
        "folders of plugins": "crates/plugin/src/directories.rs::folders_of_the_environment_come_first",
        "All foreseeable errors": "test_rules_kinds.py::test_refused_before_anything_is_made",
        "INPUT and OUTPUT": "test_differences_nccopy.py::test_a_link_to_the_input_is_not_overwritten",
        "HDF5 is written so": "test_who_reads_what.py::test_page",
        "In files of other programs": "test_differences_nccopy.py::test_a_type_is_moved_to_a_group_that_is_read_before",
        "Zarr without a fragment": "test_locations.py::test_zarr_is_made_and_found",
        "`nczarr` beside": "test_locations.py::test_which_kind_an_output_gets",
        "`#mode=zip` on writing": "test_locations.py::test_which_kind_an_output_gets",
        "an unknown word": "test_locations.py::test_unknown_words_are_warnings",
        "names in another Unicode": "test_zarr_other_metadata.py::test_names_are_normalized_for_netcdf_c",
        "output `*.zarr`": "test_locations.py::test_outputs_of_zarr_without_a_fragment",
        "a folder with other": "test_locations.py::test_what_is_not_zarr_is_not_replaced",
        "`s3://a.b/key`": f"{REMOTE}/urls.rs::each_form_of_a_url_makes_its_request",
        "`http(s)://` with": f"{REMOTE}/urls.rs::each_form_of_a_url_makes_its_request",
        "the region in the host": "crates/remote-settings/src/url/hosts.rs::hosts_of_others",
        "a bucket's `https://`": f"{REMOTE}/urls.rs::each_form_of_a_url_makes_its_request",
        "comments, and `=`": "crates/remote-settings/src/settings/s3/ini.rs::lines_are_read_as_aws_reads_them",
        "half of a pair": f"{REMOTE}/s3_settings.rs::credentials_come_from_the_first_that_names_them",
        "`AWS_CONFIG_FILE`": f"{REMOTE}/s3_settings.rs::files_of_profiles_are_found_and_joined",
        "a request that fails": "test_remote_faults.py::test_reading",
        "an object that changes": "test_remote_proxy.py::test_a_changed_object_fails_what_wants_the_old_one",
        "opening an object": "test_remote_requests.py::test_a_header_takes_few_requests_and_no_head",
        "absent chunks": "test_differences_shown.py::test_only_a_chunk_that_is_not_there_is_fill",
        "a map of an OPeNDAP": "test_dap.py::test_maps_without_variables_of_their_own_are_variables",
        "a string of DAP2": "test_dap.py::test_strings_that_are_too_long_are_refused",
        "a value of a DAP2": "test_dap.py::test_values_that_their_type_cannot_hold_are_left_out",
        "a byte of DAP2": "test_dap.py::test_a_byte_in_front_of_its_padding",
        "functions of a DAP2": "test_dap.py::test_functions_of_the_server",
        "structures of DAP4": "test_dap.py::test_types_that_are_not_read_are_told",
        "writing": "test_remote_matrix.py::test_a_tree_is_not_put_on_another",
    },
    "differences-ncdump.md": {
        "elements never written": "test_ncdump.py::test_what_was_never_written_is_zeros",
        "`_Filter` of Blosc": "test_differences_shown.py::test_the_shuffle_that_numcodecs_chooses",
        "filters whose order": "test_ncdump.py::test_an_order_that_ncgen_would_change_is_in_one_attribute",
        "standard output that": "test_differences_ncdump.py::test_standard_output_that_cannot_be_written",
        "several `bounds`": "test_ncdump_times.py::test_bounds_belong_to_the_variable_that_names_them",
        "what rounds to 24:00": "test_ncdump_times.py::test_where_theirs_is_no_date_of_the_calendar",
        "control characters": "test_differences_ncdump.py::test_control_characters_on_a_terminal",
        "NcML": "test_ncdump_ncml.py::test_names_and_text_that_xml_has_to_escape",
        "two equal types": "test_differences_ncdump.py::test_two_equal_types",
        "line break in a row": "test_ncdump.py::test_text_that_can_be_read_back",
        "NULs at the end": "test_ncdump.py::test_text_that_can_be_read_back",
        "sequence of `char`": "test_ncdump.py::test_characters_in_user_types",
        "It prints `:_IsNetcdf4": "test_ncdump_corpus.py::test_all_flags",
        "It leaves out variables": "test_ncdump.py::test_generated",
        "With `-t` and `-i`": "test_ncdump_times.py::test_attributes_that_are_strings",
    },
    "differences-ncgen.md": {
        "two equal types": "test_differences_ncdump.py::test_two_equal_types",
        "Fortran 77 programs": "test_programs.py::test_the_classic_model_in_each_kind",
        "attributes of quantization": "test_quantize.py::test_attributes_in_cdl",
        "the fourth number of Blosc": "test_zarr_kept_filters.py::test_the_size_of_blosc_blocks_is_as_asked_for",
        "`-x`, `_NoFill`": "test_ncgen.py::test_no_fill",
        "chunks after the last": "test_ncgen_sparse.py::test_chunks_behind_the_values_are_not_in_the_file",
        "an element of more": "test_ncgen_sparse.py::test_elements_larger_than_a_fill_value",
        "records of compounds": "test_ncgen_short_lists.py::test_records_that_are_not_given_are_made_of_fill_values",
        "fields of compounds": "test_cdl_samples.py::test_where_ours_is_right",
        "`v = {}`": "test_ncgen_short_lists.py::test_empty_braces_make_no_record",
    },
    "differences-reading.md": {
        "a scalar of pure Zarr": "test_zarr_users.py::test_what_netcdf_c_does_not_read_of_pure_zarr",
        "`fill_value` of pure": "test_zarr_users.py::test_what_netcdf_c_does_not_read_of_pure_zarr",
        "zip": "test_zarr_users.py::test_what_netcdf_c_does_not_read_of_pure_zarr",
        "digits of attributes": "test_differences_reading.py::test_attributes_of_nczarr",
        "text attributes that are written": "test_differences_reading.py::test_attributes_of_nczarr",
        "a text attribute of NCZarr": "test_differences_reading.py::test_attributes_of_nczarr",
        "a text attribute that spells": "test_differences_reading.py::test_what_netcdf_c_writes_otherwise_to_zarr",
        "strings longer than": "test_differences_reading.py::test_what_netcdf_c_writes_otherwise_to_zarr",
        "a scalar that is written": "test_differences_reading.py::test_what_netcdf_c_writes_otherwise_to_zarr",
        "groups without metadata": "test_zarr_other_metadata.py::test_groups_without_metadata_are_read_and_told",
        "bit fields": "test_hdf5_types.py::test_bit_fields_are_integers",
        "complex numbers": "test_hdf5_types.py::test_complex_numbers_of_hdf5_2",
        "bfloat16": "test_floats.py::test_values",
        "floats whose exponent": "test_floats.py::test_values",
        "a dataset longer": "test_dimension_scopes.py::test_what_is_longer_than_its_dimension_is_told",
        "a chunk that decodes": "test_differences_reading.py::test_chunks_that_decode_to_more_than_their_elements",
        "damaged structures": "test_differences_shown.py::test_an_error_names_the_damaged_structure_and_its_byte",
        "a family of files": "test_hdf5_types.py::test_families_of_files",
        "which files are read": "test_other_files.py::test_what_lies_outside_is_refused",
        "a relative name": "test_differences_reading.py::test_external_data_is_looked_up_in_the_folder_of_the_file",
        "elements of a virtual": "test_virtual.py::test_elements_past_a_sources_lengths_are_fill",
        "an unsigned 16-bit": "test_virtual.py::test_numbers_are_converted",
    },
}


def rows(page):
    """The first cells of a page's tables, but for their heads, and its bullets, but for those that are links to pages."""
    found, lines = [], page.read_text().splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith("| ") and not line.startswith("| ---") and not following.startswith("| ---"):
            found.append(line[2:])
        elif line.startswith("- ") and not re.match(r"- (\[|This page)", line):
            found.append(line[2:])
    return found


def named(page):
    """The beginnings of rows that tests name for a page."""
    return {row for table in TABLES[page.name] for row, *_ in table} | set(SHOWN[page.name])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_row_has_a_test(page):
    without = [row for row in rows(page) if not any(row.startswith(name) for name in named(page))]
    assert not without, f"{page.name}: no test shows these rows: {without}"


def test_every_test_has_a_row():
    pages = {page.name: rows(page) for page in PAGES}
    assert pages.keys() == TABLES.keys() == SHOWN.keys()
    for name, shown in SHOWN.items():
        gone = [row for row in shown if not any(line.startswith(row) for line in pages[name])]
        assert not gone, f"{name}: no such rows: {gone}"
    for name, tables in TABLES.items():
        for row in (row for table in tables for row, *_ in table):
            sharing = [other for other, same in TABLES.items() if same and set(map(id, same)) & set(map(id, tables))]
            assert any(line.startswith(row) for other in sharing for line in pages[other]), f"{name}: no such row: {row}"


@pytest.mark.parametrize("test", sorted({test for shown in SHOWN.values() for test in shown.values()}))
def test_the_tests_are_there(test):
    file, _, name = test.partition("::")
    path = ROOT / file if file.startswith("crates/") else pathlib.Path(__file__).parent / file
    assert re.search(rf"(?m)^\s*(def|fn) {name}\(", path.read_text()), test
