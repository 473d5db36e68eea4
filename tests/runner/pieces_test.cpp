// A page falls into paragraphs, blocks and tables, and a comment belongs to what follows it.
#include "exercises/runner/pieces.h"

#include <gtest/gtest.h>

namespace hypatia::runner {

TEST(Pieces, AreParagraphsBlocksAndTables) {
  const std::vector<Piece> pieces = pieces_of(
      "# Title\n\nSome text\nand more.\n\n    a block\n\n    its end\n\n| a | b |\n|---|---|\n\n"
      "## Part\n```text\nfenced\n\nstill\n```\nAfter.\n");
  ASSERT_EQ(pieces.size(), 7U);
  EXPECT_EQ(pieces[1].lines.size(), 2U);
  EXPECT_EQ(pieces[2].kind, Piece::Kind::block);
  EXPECT_EQ(pieces[2].lines.size(), 2U);
  EXPECT_EQ(pieces[2].line, 6U);
  EXPECT_EQ(pieces[3].kind, Piece::Kind::table);
  EXPECT_EQ(pieces[5].kind, Piece::Kind::block);
  EXPECT_EQ(pieces[5].lines.size(), 3U);
  EXPECT_EQ(pieces[5].section, "## Part");
  EXPECT_EQ(pieces[6].kind, Piece::Kind::prose);
}

TEST(Pieces, HaveTheCommentsAboveThem) {
  const std::string page =
      "First.\n\n<!-- figure: 4 MB = 4 -->\n<!-- cited: a book -->\nIt is 4 MB.\n\nNo more.\n";
  const std::vector<Piece> pieces = pieces_of(page);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_TRUE(pieces[0].holds.empty());
  ASSERT_NE(pieces[1].held_by("figure"), nullptr);
  EXPECT_EQ(*pieces[1].held_by("figure"), "4 MB = 4");
  EXPECT_EQ(*pieces[1].held_by("cited"), "a book");
  EXPECT_TRUE(pieces[2].holds.empty());
  EXPECT_EQ(without_holds(page), "First.\n\nIt is 4 MB.\n\nNo more.\n");
}

}  // namespace hypatia::runner
